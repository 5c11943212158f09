import { Box, Code, Stack, Text } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { renderSVG } from 'uqr';
import { Dialog } from '../../components/dialog.tsx';
import { FormButtons } from '../../components/form-buttons.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { TextField } from '../../components/text-field.tsx';
import type { Answer } from '../../interface/call.ts';
import { useChange } from '../../interface/use-call.ts';
import { useTranslate } from '../../language/language.tsx';

interface Props {
  /** What the service made for the app. */
  readonly setup: Answer<'post /api/auth/mfa/totp/setup'>;
  readonly onEnabled: (recoveryCodes: readonly string[]) => void;
  readonly onClose: () => void;
}

/** Sets up an authenticator app: a picture to scan, then a code that proves it. */
export const TotpSetup = ({ setup, onEnabled, onClose }: Props): ReactNode => {
  const t = useTranslate();
  const [code, setCode] = useState('');
  const enable = useChange('post /api/auth/mfa/totp/enable', ['get /api/auth/mfa']);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    enable.mutate({ body: { code: code.replaceAll(' ', '') } }, { onSuccess: ({ recovery_codes: codes }) => onEnabled(codes) });
  };
  const picture = `data:image/svg+xml;utf8,${encodeURIComponent(renderSVG(setup.otpauth_url))}`;
  return (
    <Dialog opened onClose={onClose} title={t('profile.addTotp')}>
      <form onSubmit={submit}>
        <Stack gap="md">
          <ProblemNote problem={enable.error} />
          <Text size="sm">{t('profile.scan')}</Text>
          <Box bg="white" p="md" style={{ alignSelf: 'center', borderRadius: 8 }}>
            <img src={picture} alt={t('profile.scan')} width={200} height={200} />
          </Box>
          <Text size="sm">
            {t('profile.scanHint')} <Code className="stranger">{setup.secret}</Code>
          </Text>
          <TextField
            label={t('profile.enterCode')}
            value={code}
            onChange={setCode}
            inputMode="numeric"
            autoComplete="one-time-code"
            required
            withAsterisk={false}
            data-autofocus
          />
          <FormButtons submit={t('profile.finish')} isBusy={enable.isPending} onClose={onClose} />
        </Stack>
      </form>
    </Dialog>
  );
};
