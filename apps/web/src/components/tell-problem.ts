import { notifications } from '@mantine/notifications';
import { useCallback } from 'react';
import { Problem } from '../interface/problem.ts';
import { useTexts } from '../language/language.tsx';
import { defineTexts } from '../language/texts.ts';

const texts = defineTexts({
  en: { failed: 'That did not work', unreachable: 'The service cannot be reached. Try again in a moment.' },
  de: { failed: 'Das ging nicht', unreachable: 'Der Dienst ist nicht erreichbar. Versuchen Sie es gleich noch einmal.' },
});

/** Shows what went wrong with something that has no place of its own on the screen. */
export const useTellProblem = (): ((problem: unknown) => void) => {
  const t = useTexts(texts);
  return useCallback(
    (problem) =>
      void notifications.show({
        color: 'red',
        title: t.failed,
        message: !(problem instanceof Problem) ? String(problem) : problem.status === 0 ? t.unreachable : problem.message,
      }),
    [t],
  );
};
