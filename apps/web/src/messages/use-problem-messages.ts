import { useMemo } from 'react';
import type { Problem } from '../interface/problem.ts';
import { useTranslator } from '../language/language.tsx';
import { makeProblemMessages, type ProblemMessages } from './problem-messages.ts';

/** Messages of errors in the reader's language. */
export const useProblemMessages = (): ProblemMessages => {
  const translator = useTranslator();
  return useMemo(() => makeProblemMessages(translator), [translator]);
};

/** What is wrong with the field of a form, by its path in the request; undefined where nothing is. */
export const useFieldErrors = (problem: Problem | null | undefined): ((path: string) => string | undefined) => {
  const { ofIssue } = useProblemMessages();
  return (path) => {
    const issues = problem?.issues.filter((issue) => issue.path === path) ?? [];
    return issues.length === 0 ? undefined : issues.map(ofIssue).join(', ');
  };
};
