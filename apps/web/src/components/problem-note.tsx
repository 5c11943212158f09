import { Alert, Button, Group, List, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { Problem } from '../interface/problem.ts';
import { useTexts } from '../language/language.tsx';
import { defineTexts } from '../language/texts.ts';
import { useProblemWords } from '../said/use-problem-words.ts';

const texts = defineTexts({
  en: {
    title: 'That did not work',
    unreachable: 'The service cannot be reached',
    unreachableHelp: 'Either it is being restarted, or your connection is broken. Nothing is lost; try again in a moment.',
    notValid: 'Some of what was entered cannot be taken:',
    again: 'Try again',
    number: (id: string) => `Number of the request: ${id}`,
  },
  de: {
    title: 'Das ging nicht',
    unreachable: 'Der Dienst ist nicht erreichbar',
    unreachableHelp:
      'Er startet gerade neu, oder Ihre Verbindung ist unterbrochen. Nichts ist verloren; versuchen Sie es gleich noch einmal.',
    notValid: 'Manche Angaben können so nicht übernommen werden:',
    again: 'Noch einmal',
    number: (id: string) => `Nummer der Anfrage: ${id}`,
  },
});

interface Props {
  readonly problem: Problem | null | undefined;
  readonly onRetry?: (() => void) | undefined;
}

/** What went wrong, and a way to try again. */
export const ProblemNote = ({ problem, onRetry }: Props): ReactNode => {
  const t = useTexts(texts);
  const { ofProblem, ofIssue, ofField } = useProblemWords();
  if (problem === null || problem === undefined) return null;
  const isAway = problem.status === 0;
  const isList = problem.issues.length > 0;
  return (
    <Alert color="red" variant="light" role="alert" icon={<IconAlertTriangle />} title={isAway ? t.unreachable : t.title}>
      <Text size="sm" className="stranger">
        {isAway ? t.unreachableHelp : isList ? t.notValid : ofProblem(problem)}
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
      <Group mt="sm" gap="md">
        {onRetry !== undefined && (
          <Button size="xs" variant="default" onClick={onRetry}>
            {t.again}
          </Button>
        )}
        {problem.requestId !== undefined && (
          <Text size="xs" c="dimmed">
            {t.number(problem.requestId)}
          </Text>
        )}
      </Group>
    </Alert>
  );
};
