import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { useTranslate } from '../../language/language.tsx';
import { RegistrationForm } from '../../session/registration-form.tsx';
import { useSession } from '../../session/session.tsx';
import { EntryDone, EntryPage } from './signed-in.tsx';

/** Where everybody may make an account, this is how. */
const Register = (): ReactNode => {
  const t = useTranslate();
  const { signedIn } = useSession();
  const [, navigate] = useLocation();
  const [isWaiting, setWaiting] = useState(false);
  if (isWaiting) return <EntryDone title={t('entry.waitingTitle')}>{t('entry.waiting')}</EntryDone>;
  return (
    <EntryPage title={t('entry.registerTitle')}>
      <RegistrationForm
        submitLabel={t('entry.register')}
        onWaiting={() => setWaiting(true)}
        onSignedIn={async () => {
          navigate('/documents', { replace: true });
          await signedIn();
        }}
      />
    </EntryPage>
  );
};
export default Register;
