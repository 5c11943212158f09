import { Alert, Button, Group, List, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { type ReactNode, useMemo } from 'react';
import { makeProblemMessages, type Problem, type ProblemMessages } from '../interface/problem.ts';
import { useTranslate, useTranslator } from '../language/language.tsx';
import { SmallNote } from './small-note.tsx';

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
