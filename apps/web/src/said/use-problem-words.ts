import { useMemo } from 'react';
import type { Problem } from '../interface/problem.ts';
import { useFormat, useLanguage } from '../language/language.tsx';
import { type ProblemWords, problemWords } from './problem-words.ts';

/** What the service says of errors, in the language of the reader. */
export const useProblemWords = (): ProblemWords => {
  const language = useLanguage();
  const format = useFormat();
  return useMemo(() => problemWords(language, format), [language, format]);
};

/** What is wrong with the field of a form, by its path in the request; undefined where nothing is. */
export const useFieldErrors = (problem: Problem | null | undefined): ((path: string) => string | undefined) => {
  const { ofIssue } = useProblemWords();
  return (path) => {
    const issues = problem?.issues.filter((issue) => issue.path === path) ?? [];
    return issues.length === 0 ? undefined : issues.map(ofIssue).join(', ');
  };
};
