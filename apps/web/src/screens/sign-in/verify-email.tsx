import { Alert, Button, Stack, Text } from '@mantine/core';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { Link, useSearch } from 'wouter';
import { ProblemNote } from '../../components/problem-note.tsx';
import { EmailField } from '../../components/text-fields.tsx';
import { useChange } from '../../interface/call.ts';
import { useTranslate } from '../../language/language.tsx';
import { useSession } from '../../session/session.tsx';
import { EntryPage } from './signed-in.tsx';

const Resend = ({ hasFailed }: { readonly hasFailed: boolean }): ReactNode => {
  const t = useTranslate();
  const [email, setEmail] = useState('');
  const resend = useChange('post /api/auth/resend-verification');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    resend.mutate({ body: { email } });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        {hasFailed ? (
          <Alert color="yellow" role="alert">
            {t('entry.verifyFailed')}
          </Alert>
        ) : (
          <Text>{t('entry.verifyAsk')}</Text>
        )}
        <ProblemNote problem={resend.error} />
        <EmailField label={t('entry.email')} value={email} onChange={setEmail} autoComplete="email" required />
        <Button type="submit" loading={resend.isPending}>
          {t('entry.resend')}
        </Button>
        <Text size="sm" role="status">
          {resend.isSuccess ? t('entry.resent') : ''}
        </Text>
      </Stack>
    </form>
  );
};

/** Where the link of a mail leads that asks whether an address is somebody's own. */
const VerifyEmail = (): ReactNode => {
  const t = useTranslate();
  const { state } = useSession();
  const token = new URLSearchParams(useSearch()).get('token');
  const verify = useChange('post /api/auth/verify-email');
  const { mutate } = verify;
  const hasBegun = useRef(false);
  useEffect(() => {
    if (hasBegun.current || token === null) return; // once, also where effects run twice
    hasBegun.current = true;
    mutate({ body: { token } });
  }, [token, mutate]);
  return (
    <EntryPage title={t('entry.verifyTitle')}>
      {verify.data !== undefined ? (
        <Stack gap="md">
          <Text className="stranger">{t('entry.verified', { email: verify.data.email })}</Text>
          <Button component={Link} href="/">
            {state === 'signed-out' ? t('entry.toSignIn') : t('entry.goOn')}
          </Button>
        </Stack>
      ) : token === null || verify.error !== null ? (
        <Resend hasFailed={token !== null} />
      ) : (
        <Text role="status">{t('entry.verifying')}</Text>
      )}
    </EntryPage>
  );
};
export default VerifyEmail;
