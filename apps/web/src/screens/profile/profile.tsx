import { SimpleGrid, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { ScreenHeader } from '../../components/screen-header.tsx';
import { useTranslate } from '../../language/language.tsx';
import { useMe, useSession } from '../../session/session.tsx';
import { FactorsCard } from './factors-card.tsx';
import { KeysCard } from './keys-card.tsx';
import { PasswordCard } from './password-card.tsx';
import { ProfileCard } from './profile-card.tsx';
import { SessionsCard } from './sessions-card.tsx';
import { WatchCard } from './watch-card.tsx';

/** Who the user is, and how he is kept safe. */
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
