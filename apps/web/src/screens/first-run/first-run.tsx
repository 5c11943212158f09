import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { useTexts } from '../../language/language.tsx';
import { RegistrationForm } from '../../session/registration-form.tsx';
import { useSession } from '../../session/session.tsx';
import { FrontDoor } from '../sign-in/front-door.tsx';
import { firstRunTexts } from './texts.ts';

/** What is seen while no user exists: whoever comes first makes the administrator. */
const FirstRun = (): ReactNode => {
  const t = useTexts(firstRunTexts);
  const { options, signedIn } = useSession();
  const [, navigate] = useLocation();
  return (
    <FrontDoor title={t.title} hint={t.hint}>
      <RegistrationForm
        submitLabel={t.create}
        suggestedUsername="admin"
        asksForSetupCode={options?.setup_code_required === true}
        onSignedIn={async () => {
          navigate('/welcome', { replace: true });
          await signedIn();
        }}
      />
    </FrontDoor>
  );
};
export default FirstRun;
