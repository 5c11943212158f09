import { Group, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { SaveButton } from '../../components/dialog.tsx';
import { ProblemNote, useFieldErrors } from '../../components/problem-note.tsx';
import { SectionCard } from '../../components/screen-parts.tsx';
import { EmailField } from '../../components/text-fields.tsx';
import { useChange } from '../../interface/call.ts';
import { Problem } from '../../interface/problem.ts';
import { useTranslate } from '../../language/language.tsx';
import { useMe } from '../../session/session.tsx';
import { useRoleName } from '../roles/use-roles.ts';
import { type Proof, ProveForm } from './prove-form.tsx';

interface FixedValueProps {
  readonly label: string;
  readonly value: string;
}

/** A value among the fields of a form that cannot be changed there; it stands in a `dl`. */
const FixedValue = ({ label, value }: FixedValueProps): ReactNode => (
  <div>
    <Text component="dt" size="sm" fw={500}>
      {label}
    </Text>
    <Text component="dd" m={0} className="stranger">
      {value}
    </Text>
  </div>
);

/** Who the user is. */
export const ProfileCard = (): ReactNode => {
  const t = useTranslate();
  const roleName = useRoleName();
  const me = useMe();
  const [displayName, setDisplayName] = useState(me.display_name ?? '');
  const [email, setEmail] = useState(me.email);
  const change = useChange('patch /api/users/profile', ['get /api/auth/me']);
  const { prove, dialog } = useProof();
  const [problem, setProblem] = useState<Problem>();
  const errorOf = useFieldErrors(problem);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const body = { email, display_name: displayName.trim() === '' ? null : displayName };
    setProblem(undefined);
    void prove(async (proof) => void (await change.mutateAsync({ body: { ...body, ...proof } }))).catch((error: unknown) => {
      if (!(error instanceof Problem)) throw error;
      setProblem(error);
    });
  };
  return (
    <SectionCard title={t('profile.profile')}>
      <form onSubmit={submit}>
        <Stack gap="md">
          {problem?.issues.length === 0 && <ProblemNote problem={problem} />}
          <Group grow component="dl" m={0}>
            <FixedValue label={t('profile.username')} value={me.username} />
            <FixedValue label={t('profile.role')} value={roleName(me.role)} />
          </Group>
          <TextInput
            label={t('profile.displayName')}
            value={displayName}
            onChange={(event) => setDisplayName(event.currentTarget.value)}
            error={errorOf('display_name')}
            autoComplete="name"
            maxLength={200}
          />
          <EmailField label={t('profile.email')} value={email} onChange={setEmail} error={errorOf('email')} autoComplete="email" />
          <SaveButton label={t('profile.save')} saved={t('profile.saved')} change={change} />
        </Stack>
      </form>
      {dialog}
    </SectionCard>
  );
};

/** A change, with a proof where one was given. */
type Change = (proof: Proof | Record<string, never>) => Promise<void>;

/** A change whose proof the user is asked for. */
interface Waiting {
  readonly change: Change;
  readonly resolve: () => void;
  readonly reject: (problem: unknown) => void;
}

interface Proving {
  /**
   * Makes the change, with a proof where the service asks for one. Resolves when it is made or the user gave up; throws what is wrong
   * with the change itself. What is wrong with the proof is said in the dialog.
   */
  readonly prove: (change: Change) => Promise<void>;
  /** The dialog that asks for the proof; nothing while none is needed. */
  readonly dialog: ReactNode;
}

const isProofWanted = (error: unknown): boolean => error instanceof Problem && error.details['reason'] === 'proof_required';

/** Whether an error concerns the proof of a change, not the change. */
const isAboutProof = (error: unknown): boolean =>
  error instanceof Problem && (error.code === 'PROOF_WRONG' || error.code === 'ACCOUNT_LOCKED' || error.isPassing);

/** For changes that the service may want proven to be the user's own. */
export const useProof = (): Proving => {
  const [waiting, setWaiting] = useState<Waiting>();
  const prove = async (change: Change): Promise<void> => {
    try {
      await change({});
    } catch (error) {
      if (!isProofWanted(error)) throw error;
      await new Promise<void>((resolve, reject) => setWaiting({ change, resolve, reject }));
    }
  };
  const finish = async (proof: Proof): Promise<void> => {
    try {
      await waiting?.change(proof);
      waiting?.resolve();
    } catch (error) {
      if (isAboutProof(error)) throw error;
      waiting?.reject(error);
    }
    setWaiting(undefined);
  };
  const close = (): void => {
    setWaiting(undefined);
    waiting?.resolve();
  };
  return { prove, dialog: waiting && <ProveForm onProven={finish} onClose={close} /> };
};
