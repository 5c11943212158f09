import { notifications } from '@mantine/notifications';
import { useCallback } from 'react';
import { Problem } from '../interface/problem.ts';
import { useTranslate } from '../language/language.tsx';
import { useProblemMessages } from './problem-note.tsx';

/** Shows what went wrong with something that has no place of its own on the screen. */
export const useNotifyProblem = (): ((problem: unknown) => void) => {
  const t = useTranslate();
  const { ofProblem } = useProblemMessages();
  return useCallback(
    (problem) =>
      void notifications.show({
        color: 'red',
        title: t('problem.title'),
        message: problem instanceof Problem ? ofProblem(problem) : String(problem),
      }),
    [t, ofProblem],
  );
};
