import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { ProblemNote } from '../../components/problem-note.tsx';
import { SectionCard } from '../../components/section-card.tsx';
import { useNotifyProblem } from '../../components/use-notify-problem.ts';
import { useCall, useChange } from '../../interface/use-call.ts';
import { useFormat, useTranslate } from '../../language/language.tsx';
import { agentName } from '../../session/agent-name.ts';

const MOST = 50;

/** Where the user is signed in, and the way to end that. */
export const SessionsCard = (): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const notifyProblem = useNotifyProblem();
  const { data, error, refetch } = useCall('get /api/auth/sessions', { query: { per_page: MOST } });
  const end = useChange('delete /api/auth/sessions/{id}', ['get /api/auth/sessions']);
  const endOthers = useChange('delete /api/auth/sessions', ['get /api/auth/sessions']);
  const sessions = data?.data ?? [];
  return (
    <SectionCard
      title={t('profile.sessions')}
      action={
        sessions.length > 1 && (
          <Button
            size="xs"
            variant="default"
            loading={endOthers.isPending}
            onClick={() => endOthers.mutate({}, { onError: notifyProblem })}
          >
            {t('profile.signOutOthers')}
          </Button>
        )
      }
    >
      {data === undefined && <ProblemNote problem={error} onRetry={() => void refetch()} />}
      <Stack component="ul" gap="sm" p={0} m={0} style={{ listStyle: 'none' }}>
        {sessions.map(({ id, user_agent: agent, address, last_seen_at: seen, is_current: isCurrent }) => {
          const name = agent === null || agent === '' ? t('profile.unknownDevice') : agentName(agent);
          return (
            <Group component="li" key={id} justify="space-between" wrap="nowrap">
              <Stack gap={0} style={{ minWidth: 0 }}>
                <Group gap="xs">
                  <Text size="sm" fw={500} className="stranger">
                    {name}
                  </Text>
                  {isCurrent && (
                    <Badge size="sm" variant="light" tt="none">
                      {t('profile.thisOne')}
                    </Badge>
                  )}
                </Group>
                <Text size="xs" c="dimmed">
                  {[address, t('profile.lastSeen', { when: format.ago(seen) })].filter((part) => part !== null).join(' · ')}
                </Text>
              </Stack>
              {!isCurrent && (
                <Button
                  size="compact-sm"
                  variant="subtle"
                  color="red"
                  aria-label={t('profile.signOutOf', { where: name })}
                  onClick={() => end.mutate({ params: { id } }, { onError: notifyProblem })}
                >
                  {t('profile.signOut')}
                </Button>
              )}
            </Group>
          );
        })}
      </Stack>
    </SectionCard>
  );
};
