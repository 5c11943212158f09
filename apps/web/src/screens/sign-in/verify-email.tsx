import { Alert, Button, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { Link, useSearch } from 'wouter';
import { ProblemNote } from '../../components/problem-note.tsx';
import { useChange } from '../../interface/use-call.ts';
import { useTexts } from '../../language/language.tsx';
import { FrontDoor } from './front-door.tsx';
import { doorTexts } from './texts.ts';

const Resend = (): ReactNode => {
  const t = useTexts(doorTexts);
  const [email, setEmail] = useState('');
  const resend = useChange('post /api/auth/resend-verification');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    resend.mutate({ body: { email } });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <Alert color="yellow">{t.verifyFailed}</Alert>
        <ProblemNote problem={resend.error} />
        <TextInput
          label={t.email}
          type="email"
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          autoComplete="email"
          required
          withAsterisk={false}
        />
        <Button type="submit" loading={resend.isPending}>
          {t.resend}
        </Button>
        <Text size="sm" role="status">
          {resend.isSuccess ? t.resent : ''}
        </Text>
      </Stack>
    </form>
  );
};

/** Where the link of a mail leads that asks whether an address is somebody's own. */
const VerifyEmail = (): ReactNode => {
  const t = useTexts(doorTexts);
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
    <FrontDoor title={t.verifyTitle}>
      {verify.data !== undefined ? (
        <Stack gap="md">
          <Text className="stranger">{t.verified(verify.data.email)}</Text>
          <Button component={Link} href="/">
            {t.goOn}
          </Button>
        </Stack>
      ) : token === null || verify.error !== null ? (
        <Resend />
      ) : (
        <Text role="status">{t.verifying}</Text>
      )}
    </FrontDoor>
  );
};
export default VerifyEmail;
