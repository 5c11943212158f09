import { Alert, Button, Checkbox, Code, Group, NativeSelect, SimpleGrid, Stack, Text } from '@mantine/core';
import { ACTIONS, type Action } from '@sheaf/vocabulary/permissions';
import { IconPlus } from '@tabler/icons-react';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Dialog, FormButtons } from '../../components/dialog.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { SectionCard } from '../../components/screen-parts.tsx';
import { SmallNote } from '../../components/small-note.tsx';
import { NameField } from '../../components/text-fields.tsx';
import { useHidden, useUndoableRemoval } from '../../components/undo.tsx';
import { call, useCall, useChange } from '../../interface/call.ts';
import { useFormat, useTranslate } from '../../language/language.tsx';
import { useMe, useSession } from '../../session/session.tsx';
import { CopyText } from './factors-card.tsx';

const MOST = 100;
/** App tokens have this as the end of their validity. */
const NO_EXPIRY_YEAR = 9_999;
const EXPIRY_DAYS = [7, 30, 90, 365] as const;
/** What most programs are for. */
const USUAL: readonly Action[] = ['documents.read', 'search.query'];

const NewKey = ({ onClose }: { readonly onClose: () => void }): ReactNode => {
  const t = useTranslate();
  const [name, setName] = useState('');
  const [scope, setScope] = useState<string[]>([...USUAL]);
  const [days, setDays] = useState('');
  const { may } = useSession();
  const create = useChange('post /api/keys', ['get /api/keys']);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    create.mutate({ body: { name, scope, ...(days === '' ? {} : { expires_in_days: Number(days) }) } });
  };
  if (create.data !== undefined)
    return (
      <Dialog opened onClose={onClose} title={t('profile.keyMade')} closeOnClickOutside={false} closeOnEscape={false}>
        <Stack gap="md">
          <Alert color="yellow">{t('profile.keyMadeHint')}</Alert>
          <Code block className="stranger">
            {create.data.key}
          </Code>
          <Group justify="space-between">
            <CopyText text={create.data.key} />
            <Button onClick={onClose}>{t('profile.close')}</Button>
          </Group>
        </Stack>
      </Dialog>
    );
  return (
    <Dialog opened onClose={onClose} title={t('profile.newKey')}>
      <form onSubmit={submit}>
        <Stack gap="md">
          <ProblemNote problem={create.error} />
          <NameField label={t('profile.keyName')} value={name} onChange={setName} />
          <Checkbox.Group label={t('profile.keyScope')} value={scope} onChange={setScope}>
            <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" mt="xs">
              {ACTIONS.filter(may).map((action) => (
                <Checkbox key={action} value={action} label={t(`permissions.${action}`)} description={<Code>{action}</Code>} />
              ))}
            </SimpleGrid>
          </Checkbox.Group>
          <NativeSelect
            label={t('profile.keyExpiry')}
            data={[
              { value: '', label: t('profile.keyExpiryDefault') },
              ...EXPIRY_DAYS.map((count) => ({ value: String(count), label: t('profile.keyExpiryDays', { count }) })),
            ]}
            value={days}
            onChange={(event) => setDays(event.currentTarget.value)}
          />
          <FormButtons submit={t('profile.newKey')} isBusy={create.isPending} isIncomplete={scope.length === 0} onClose={onClose} />
        </Stack>
      </form>
    </Dialog>
  );
};

/** Keys for programs; those of all users for who may see them. */
export const KeysCard = (): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const me = useMe();
  const { may } = useSession();
  const removeLater = useUndoableRemoval();
  const { hidden } = useHidden();
  const [isMaking, setMaking] = useState(false);
  const { data, error, refetch } = useCall('get /api/keys', { query: { per_page: MOST } });
  const keys = data?.data.filter(({ id }) => !hidden.has(id));
  const revoke = (id: string, name: string): void =>
    removeLater(id, t('profile.revoked', { name }), () => call('delete /api/keys/{id}', { params: { id } }));
  return (
    <SectionCard
      title={t('profile.keys')}
      hint={t('profile.keysHint')}
      action={
        may('keys.create') && (
          <Button size="xs" variant="default" leftSection={<IconPlus size={14} />} onClick={() => setMaking(true)}>
            {t('profile.newKey')}
          </Button>
        )
      }
    >
      {keys === undefined && <ProblemNote problem={error} onRetry={() => void refetch()} />}
      {keys?.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('profile.noKeys')}
        </Text>
      )}
      <Stack component="ul" gap="sm" p={0} m={0} style={{ listStyle: 'none' }}>
        {keys?.map(({ id, name, prefix, scope, owner, expires_at: expires, last_used_at: lastUsed }) => (
          <Group component="li" key={id} justify="space-between" wrap="nowrap">
            <Stack gap={0} style={{ minWidth: 0 }}>
              <Text size="sm" fw={500} className="stranger">
                {name} <Code>{prefix}…</Code>
              </Text>
              <SmallNote className="stranger">
                {[
                  owner === me.username ? undefined : owner,
                  scope.join(', '),
                  lastUsed === null ? t('profile.neverUsed') : t('profile.lastUsed', { when: format.ago(lastUsed) }),
                  expires === null || new Date(expires).getUTCFullYear() === NO_EXPIRY_YEAR
                    ? t('profile.keyNoExpiry')
                    : t('profile.keyExpires', { when: format.date(expires) }),
                ]
                  .filter((part) => part !== undefined)
                  .join(' · ')}
              </SmallNote>
            </Stack>
            {may('keys.delete') && (
              <Button
                size="compact-sm"
                variant="subtle"
                color="red"
                onClick={() => revoke(id, name)}
                aria-label={`${t('profile.revoke')}: ${name}`}
              >
                {t('profile.revoke')}
              </Button>
            )}
          </Group>
        ))}
      </Stack>
      {isMaking && <NewKey onClose={() => setMaking(false)} />}
    </SectionCard>
  );
};
