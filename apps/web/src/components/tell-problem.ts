import { notifications } from '@mantine/notifications';
import { useCallback } from 'react';
import { Problem } from '../interface/problem.ts';
import { useTexts } from '../language/language.tsx';
import { defineTexts } from '../language/texts.ts';
import { useProblemWords } from '../said/use-problem-words.ts';

const texts = defineTexts({
  en: { failed: 'That did not work' },
  de: { failed: 'Das ging nicht' },
});

/** Shows what went wrong with something that has no place of its own on the screen. */
export const useTellProblem = (): ((problem: unknown) => void) => {
  const t = useTexts(texts);
  const { ofProblem } = useProblemWords();
  return useCallback(
    (problem) =>
      void notifications.show({
        color: 'red',
        title: t.failed,
        message: problem instanceof Problem ? ofProblem(problem) : String(problem),
      }),
    [t, ofProblem],
  );
};
