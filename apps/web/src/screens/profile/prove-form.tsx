import { Stack, Text } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Dialog } from '../../components/dialog.tsx';
import { FormButtons } from '../../components/form-buttons.tsx';
import { PasswordField } from '../../components/password-field.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { Problem } from '../../interface/problem.ts';
import { useTexts } from '../../language/language.tsx';
import { profileTexts } from './texts.ts';

interface Props {
  readonly onProven: (password: string) => Promise<void>;
  readonly onClose: () => void;
}

/** Asks for the password once more before something that concerns the account's safety. */
export const ProveForm = ({ onProven, onClose }: Props): ReactNode => {
  const t = useTexts(profileTexts);
  const [password, setPassword] = useState('');
  const [problem, setProblem] = useState<Problem>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    try {
      await onProven(password);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setProblem(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog opened onClose={onClose} title={t.confirm}>
      <form onSubmit={(event) => void submit(event)}>
        <Stack gap="md">
          <Text size="sm">{t.confirmHint}</Text>
          <ProblemNote problem={problem} />
          <PasswordField
            label={t.currentPassword}
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            autoComplete="current-password"
            required
            withAsterisk={false}
            data-autofocus
          />
          <FormButtons submit={t.next} isBusy={isBusy} onClose={onClose} />
        </Stack>
      </form>
    </Dialog>
  );
};
