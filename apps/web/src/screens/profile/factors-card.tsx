import { Badge, Box, Button, Code, CopyButton, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconDeviceMobile, IconKey } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { renderSVG } from 'uqr';
import { Dialog, FormButtons } from '../../components/dialog.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { SectionCard } from '../../components/screen-parts.tsx';
import { SmallNote } from '../../components/small-note.tsx';
import { TextField } from '../../components/text-fields.tsx';
import { useNotifyProblem } from '../../components/use-notify-problem.ts';
import { type Answer, call, refresh, useCall, useChange } from '../../interface/call.ts';
import { Problem } from '../../interface/problem.ts';
import { useFormat, useTranslate } from '../../language/language.tsx';
import { agentName } from '../../session/agent-name.ts';
import { knowsPasskeys, makePasskey } from '../../session/passkey.ts';
import { useProof } from './profile-card.tsx';
import { type Proof, ProveForm } from './prove-form.tsx';

interface RecoveryCodesProps {
  readonly codes: readonly string[];
  readonly onClose: () => void;
}

/** Shows recovery codes the one time that they are known. */
export const RecoveryCodes = ({ codes, onClose }: RecoveryCodesProps): ReactNode => {
  const t = useTranslate();
  return (
    <Dialog
      opened
      onClose={onClose}
      title={t('profile.codesTitle')}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack gap="md">
        <Text size="sm">{t('profile.codesHint')}</Text>
        <SimpleGrid cols={2} spacing="xs">
          {codes.map((code) => (
            <Code key={code} fz="md" ta="center">
              {code}
            </Code>
          ))}
        </SimpleGrid>
        <Group justify="space-between">
          <CopyText text={codes.join('\n')} />
          <Button onClick={onClose}>{t('profile.done')}</Button>
        </Group>
      </Stack>
    </Dialog>
  );
};

/** Copies what is shown only once. */
export const CopyText = ({ text }: { readonly text: string }): ReactNode => {
  const t = useTranslate();
  return (
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <Button variant="default" onClick={copy}>
          {copied ? t('profile.copied') : t('profile.copy')}
        </Button>
      )}
    </CopyButton>
  );
};

type Device = Answer<'get /api/auth/mfa'>['devices'][number];
/** What is asked for before it is proven that it is the user. */
type PendingAction = { readonly kind: 'remove'; readonly id: string } | { readonly kind: 'codes' };

/** How a browser says that the key was used for this account before. */
const isKnownKey = (failure: unknown): boolean => failure instanceof DOMException && failure.name === 'InvalidStateError';

const DeviceLine = ({ device, onRemove }: { readonly device: Device; readonly onRemove: () => void }): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const Icon = device.type === 'totp' ? IconDeviceMobile : IconKey;
  return (
    <Group component="li" justify="space-between" wrap="nowrap">
      <Group gap="sm" wrap="nowrap" style={{ minWidth: 0 }}>
        <Icon size={20} stroke={1.6} />
        <Stack gap={0} style={{ minWidth: 0 }}>
          <Group gap="xs">
            <Text size="sm" fw={500} className="stranger">
              {device.name}
            </Text>
            {!device.enabled && (
              <Badge size="sm" variant="light" color="yellow" tt="none">
                {t('profile.notProven')}
              </Badge>
            )}
          </Group>
          <SmallNote>
            {t(`profile.${device.type}`)} ·{' '}
            {device.last_used_at === null ? t('profile.neverUsed') : t('profile.lastUsed', { when: format.ago(device.last_used_at) })}
          </SmallNote>
        </Stack>
      </Group>
      <Button size="compact-sm" variant="subtle" color="red" onClick={onRemove} aria-label={t('profile.removeOf', { name: device.name })}>
        {t('profile.remove')}
      </Button>
    </Group>
  );
};

/** Second factors: authenticator apps, passkeys, recovery codes. */
export const FactorsCard = (): ReactNode => {
  const t = useTranslate();
  const client = useQueryClient();
  const notifyProblem = useNotifyProblem();
  const { data, error, refetch } = useCall('get /api/auth/mfa', {});
  const register = useChange('post /api/auth/mfa/webauthn/register/verify', ['get /api/auth/mfa']);
  const { prove, dialog } = useProof();
  const [setup, setSetup] = useState<Answer<'post /api/auth/mfa/totp/setup'>>();
  const [codes, setCodes] = useState<readonly string[]>([]);
  const [pendingAction, setPendingAction] = useState<PendingAction>();

  // what a factor changes about what they may do changes when they have seen their codes: who had to have one would be led on past them
  const lookWhatHeMay = (): void => void refresh(client, ['get /api/auth/me']);
  const keep = (made: readonly string[]): void => {
    setCodes(made);
    if (made.length === 0) lookWhatHeMay();
  };
  const makeFrom = async (options: Answer<'post /api/auth/mfa/webauthn/register/options'>): Promise<void> => {
    try {
      const credential = await makePasskey(options);
      keep((await register.mutateAsync({ body: { credential, name: agentName(navigator.userAgent) } })).recovery_codes);
    } catch (failure) {
      notifyProblem(failure instanceof Problem ? failure : isKnownKey(failure) ? t('profile.passkeyKnown') : t('profile.passkeyFailed'));
    }
  };
  const addPasskey = (): void =>
    void prove(async (proof) => makeFrom(await call('post /api/auth/mfa/webauthn/register/options', { body: proof }))).catch(notifyProblem);
  const addTotp = (): void =>
    void prove(async (proof) => setSetup(await call('post /api/auth/mfa/totp/setup', { body: proof }))).catch(notifyProblem);
  const grant = async (proof: Proof): Promise<void> => {
    if (pendingAction?.kind === 'remove') await call('delete /api/auth/mfa/{id}', { params: { id: pendingAction.id }, body: proof });
    if (pendingAction?.kind === 'codes') setCodes((await call('post /api/auth/mfa/recovery-codes', { body: proof })).recovery_codes);
    await refetch();
    setPendingAction(undefined);
    if (pendingAction?.kind === 'remove') lookWhatHeMay();
  };

  if (data === undefined)
    return (
      <SectionCard title={t('profile.factors')}>
        {error?.status === 404 ? (
          <Text size="sm">{t('profile.factorsUnavailable')}</Text>
        ) : (
          <ProblemNote problem={error} onRetry={() => void refetch()} />
        )}
      </SectionCard>
    );
  if (data.methods.length === 0 && data.devices.length === 0)
    return (
      <SectionCard title={t('profile.factors')}>
        <Text size="sm">{t('profile.factorsUnavailable')}</Text>
      </SectionCard>
    );
  return (
    <SectionCard title={t('profile.factors')} hint={data.enabled ? t('profile.factorsOn') : t('profile.factorsOff')}>
      <Stack component="ul" gap="sm" p={0} m={0} style={{ listStyle: 'none' }}>
        {data.devices.map((device) => (
          <DeviceLine key={device.id} device={device} onRemove={() => setPendingAction({ kind: 'remove', id: device.id })} />
        ))}
      </Stack>
      <Group gap="sm">
        {data.methods.includes('totp') && (
          <Button variant="default" leftSection={<IconDeviceMobile size={16} />} onClick={addTotp}>
            {t('profile.addTotp')}
          </Button>
        )}
        {data.methods.includes('webauthn') && knowsPasskeys() && (
          <Button variant="default" leftSection={<IconKey size={16} />} onClick={addPasskey}>
            {t('profile.addPasskey')}
          </Button>
        )}
      </Group>
      {data.enabled && (
        <Group justify="space-between">
          <Text size="sm">{t('profile.codesLeft', { count: data.recovery_codes_left })}</Text>
          <Button size="xs" variant="subtle" onClick={() => setPendingAction({ kind: 'codes' })}>
            {t('profile.newCodes')}
          </Button>
        </Group>
      )}
      {dialog}
      {setup !== undefined && (
        <TotpSetup
          setup={setup}
          onEnabled={(made) => {
            setSetup(undefined);
            keep(made);
          }}
          onClose={() => setSetup(undefined)}
        />
      )}
      {pendingAction !== undefined && <ProveForm onProven={grant} onClose={() => setPendingAction(undefined)} />}
      {codes.length > 0 && <RecoveryCodes codes={codes} onClose={() => keep([])} />}
    </SectionCard>
  );
};

interface TotpSetupProps {
  /** What the service made for the app. */
  readonly setup: Answer<'post /api/auth/mfa/totp/setup'>;
  readonly onEnabled: (recoveryCodes: readonly string[]) => void;
  readonly onClose: () => void;
}

/** Sets up an authenticator app: a picture to scan, then a code that proves it. */
const TotpSetup = ({ setup, onEnabled, onClose }: TotpSetupProps): ReactNode => {
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
