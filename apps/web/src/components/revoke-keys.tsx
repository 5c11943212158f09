import { Checkbox, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useCall } from '../interface/call.ts';
import { useFormat, useTranslate } from '../language/language.tsx';
import { useSession } from '../session/session.tsx';

const MOST = 100;

interface Props {
  /** Name of the user whose password changes. */
  readonly username: string;
  readonly isChosen: boolean;
  readonly onChange: (isChosen: boolean) => void;
}

/** Offers to revoke the API keys and app tokens of a user with a change of the password, and lists those that are known with their last use. */
export const RevokeKeys = ({ username, isChosen, onChange }: Props): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const { may } = useSession();
  const { data } = useCall('get /api/keys', { query: { per_page: MOST } }, { enabled: may('keys.read') });
  const keys = data?.data.filter(({ owner }) => owner === username);
  // further keys of others may hide some of this user
  const isComplete = data === undefined || data.pagination.total <= MOST;
  if (keys?.length === 0 && isComplete) return undefined;
  return (
    <Stack gap={4}>
      <Checkbox label={t('password.revokeKeys')} checked={isChosen} onChange={(event) => onChange(event.currentTarget.checked)} />
      <Stack component="ul" gap={0} pl={32} m={0} style={{ listStyle: 'none' }}>
        {keys?.map(({ id, name, last_used_at: lastUsed }) => (
          <Text component="li" key={id} size="xs" c="dimmed" className="stranger">
            {name} · {lastUsed === null ? t('profile.neverUsed') : t('profile.lastUsed', { when: format.ago(lastUsed) })}
          </Text>
        ))}
      </Stack>
    </Stack>
  );
};
