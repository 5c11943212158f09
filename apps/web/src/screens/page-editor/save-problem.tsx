import { Alert, Button, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { ProblemNote, useProblemMessages } from '../../components/problem-note.tsx';
import type { Problem } from '../../interface/problem.ts';
import { useTranslate } from '../../language/language.tsx';

interface Props {
  readonly problem: Problem | null;
  /** Of the documents that were appended. */
  readonly titleOf: (documentId: string) => string | undefined;
  readonly onRemove: (documentId: string) => void;
}

/** Why the changes were not saved; where an appended document is the reason, its name and a way to do without it. */
export const SaveProblem = ({ problem, titleOf, onRemove }: Props): ReactNode => {
  const t = useTranslate();
  const { ofProblem } = useProblemMessages();
  const id = problem?.details['document_id'];
  const title = typeof id === 'string' ? titleOf(id) : undefined;
  if (problem === null || typeof id !== 'string' || title === undefined) return <ProblemNote problem={problem} />;
  return (
    <Alert color="red" role="alert" title={t('pageEditor.appendedProblem', { title })}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm" className="stranger">
          {ofProblem(problem)}
        </Text>
        <Button size="xs" variant="default" onClick={() => onRemove(id)}>
          {t('pageEditor.removeAppended')}
        </Button>
      </Stack>
    </Alert>
  );
};
