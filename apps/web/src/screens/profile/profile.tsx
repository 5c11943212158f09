import { Alert, Badge, Button, Code, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { ProblemNote, useFieldErrors } from '../../components/problem-note.tsx';
import { RevokeKeys } from '../../components/revoke-keys.tsx';
import { ScreenHeader, SectionCard } from '../../components/screen-parts.tsx';
import { SmallNote } from '../../components/small-note.tsx';
import { PasswordField, usePasswordHint } from '../../components/text-fields.tsx';
import { useNotifyProblem } from '../../components/use-notify-problem.ts';
import { useCall, useChange } from '../../interface/call.ts';
import { useFormat, useTranslate } from '../../language/language.tsx';
import { agentName } from '../../session/agent-name.ts';
import { useMe, useSession } from '../../session/session.tsx';
import { FactorsCard } from './factors-card.tsx';
import { KeysCard } from './keys-card.tsx';
import { ProfileCard } from './profile-card.tsx';

/** Who the user is, and how they are kept safe. */
const Profile = (): ReactNode => {
  const t = useTranslate();
  const { may, options } = useSession();
  const { auth_method: method } = useMe();
  return (
    <>
      <ScreenHeader title={t('profile.title')} />
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
        <Stack gap="md">
          <ProfileCard />
          {method === 'local' && <PasswordCard />}
          {options?.user_watch_enabled === true && <WatchCard />}
        </Stack>
        <Stack gap="md">
          {/* an identity provider asks for its own */}
          {(method === 'local' || method === 'ldap') && <FactorsCard />}
          <SessionsCard />
          {may('keys.read') && <KeysCard />}
        </Stack>
      </SimpleGrid>
    </>
  );
};
export default Profile;

/** The user's own watch folder. */
const WatchCard = (): ReactNode => {
  const t = useTranslate();
  const me = useMe();
  const notifyProblem = useNotifyProblem();
  const { data } = useCall('get /api/users/{user_id}/watch-directory', { params: { user_id: me.id } });
  const make = useChange('post /api/users/{user_id}/watch-directory', ['get /api/users/{user_id}/watch-directory']);
  if (data === undefined) return null;
  return (
    <SectionCard title={t('profile.watch')} hint={t('profile.watchHint')}>
      {data.exists && data.watch_directory_path !== null ? (
        <Code block className="stranger">
          {data.watch_directory_path}
        </Code>
      ) : (
        <>
          <Text size="sm">{t('profile.watchNone')}</Text>
          <Button
            variant="default"
            style={{ alignSelf: 'flex-start' }}
            loading={make.isPending}
            onClick={() => make.mutate({ params: { user_id: me.id }, body: { ensure_created: true } }, { onError: notifyProblem })}
          >
            {t('profile.watchMake')}
          </Button>
        </>
      )}
    </SectionCard>
  );
};

const MOST = 50;

/** Where the user is signed in, and the way to end that. */
const SessionsCard = (): ReactNode => {
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
                <SmallNote>
                  {[address, t('profile.lastSeen', { when: format.ago(seen) })].filter((part) => part !== null).join(' · ')}
                </SmallNote>
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

/** A new password. */
const PasswordCard = (): ReactNode => {
  const t = useTranslate();
  const me = useMe();
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [revokesKeys, setRevokesKeys] = useState(false);
  const change = useChange('post /api/users/change-password', ['get /api/auth/sessions', 'get /api/keys']);
  const errorOf = useFieldErrors(change.error);
  const passwordHint = usePasswordHint();
  const isCurrentWrong = change.error?.code === 'CURRENT_PASSWORD_WRONG';
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    change.mutate(
      { body: { current_password: current, new_password: next, revoke_keys: revokesKeys } },
      {
        onSuccess: () => {
          setCurrent('');
          setNext('');
          setRevokesKeys(false);
        },
      },
    );
  };
  return (
    <SectionCard title={t('profile.password')}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          {change.error !== null && !isCurrentWrong && change.error.issues.length === 0 && <ProblemNote problem={change.error} />}
          {change.isSuccess && (
            <Alert color="teal" role="status">
              {change.data.revoked_keys === 0
                ? t('profile.passwordChanged')
                : t('profile.passwordAndKeysChanged', { count: change.data.revoked_keys })}
            </Alert>
          )}
          {/* for those who keep passwords: whose it is */}
          <input type="text" name="username" autoComplete="username" value={me.username} readOnly hidden />
          <PasswordField
            label={t('profile.currentPassword')}
            value={current}
            onChange={(event) => setCurrent(event.currentTarget.value)}
            error={isCurrentWrong ? t('errors.CURRENT_PASSWORD_WRONG') : errorOf('current_password')}
            autoComplete="current-password"
            required
            withAsterisk={false}
          />
          <PasswordField
            label={t('profile.newPassword')}
            value={next}
            onChange={(event) => setNext(event.currentTarget.value)}
            description={passwordHint}
            error={errorOf('new_password') ?? errorOf('password')}
            autoComplete="new-password"
            required
            withAsterisk={false}
          />
          <RevokeKeys username={me.username} isChosen={revokesKeys} onChange={setRevokesKeys} />
          <Button type="submit" loading={change.isPending} style={{ alignSelf: 'flex-start' }}>
            {t('profile.changePassword')}
          </Button>
        </Stack>
      </form>
    </SectionCard>
  );
};
