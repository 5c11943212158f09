import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { useTranslate } from '../../language/language.tsx';
import { RegistrationForm } from '../../session/registration-form.tsx';
import { useSession } from '../../session/session.tsx';
import { EntryPage } from '../sign-in/signed-in.tsx';

/** What is seen while no user exists: whoever comes first makes the administrator. */
const FirstRun = (): ReactNode => {
  const t = useTranslate();
  const { options, signedIn } = useSession();
  const [, navigate] = useLocation();
  return (
    <EntryPage title={t('firstRun.title')} hint={t('firstRun.hint')}>
      <RegistrationForm
        submitLabel={t('firstRun.create')}
        suggestedUsername="admin"
        asksForSetupCode={options?.setup_code_required === true}
        onSignedIn={async () => {
          navigate('/welcome', { replace: true });
          await signedIn();
        }}
      />
    </EntryPage>
  );
};
export default FirstRun;
