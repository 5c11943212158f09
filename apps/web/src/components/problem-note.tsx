import { Alert, Button, Group, List, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { Problem } from '../interface/problem.ts';
import { useTranslate } from '../language/language.tsx';
import { useProblemMessages } from '../messages/use-problem-messages.ts';
import { SmallNote } from './small-note.tsx';

/** Errors that somebody may have to look for in the log. */
const SERVER_ERROR = 500;

interface Props {
  readonly problem: Problem | null | undefined;
  readonly onRetry?: (() => void) | undefined;
}

/** What went wrong, and a way to try again. */
export const ProblemNote = ({ problem, onRetry }: Props): ReactNode => {
  const t = useTranslate();
  const { ofProblem, ofIssue, ofField } = useProblemMessages();
  if (problem === null || problem === undefined) return null;
  const isAway = problem.status === 0;
  const isList = problem.issues.length > 0;
  const requestId = problem.status >= SERVER_ERROR ? problem.requestId : undefined;
  return (
    <Alert
      color="red"
      variant="light"
      role="alert"
      icon={<IconAlertTriangle />}
      title={isAway ? t('problem.unreachable') : t('problem.title')}
    >
      <Text size="sm" className="stranger">
        {isAway ? t('problem.unreachableHelp') : isList ? t('problem.notValid') : ofProblem(problem)}
      </Text>
      {isList && (
        <List size="sm">
          {problem.issues.map((issue) => (
            <List.Item key={`${issue.path} ${issue.message}`} className="stranger">
              {issue.path !== '' && <b>{ofField(issue.path)}</b>} {ofIssue(issue)}
            </List.Item>
          ))}
        </List>
      )}
      {(onRetry !== undefined || requestId !== undefined) && (
        <Group mt="sm" gap="md">
          {onRetry !== undefined && (
            <Button size="xs" variant="default" onClick={onRetry}>
              {t('problem.again')}
            </Button>
          )}
          {requestId !== undefined && <SmallNote>{t('problem.number', { id: requestId })}</SmallNote>}
        </Group>
      )}
    </Alert>
  );
};
