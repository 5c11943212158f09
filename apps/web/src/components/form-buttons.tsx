import { Button, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslate } from '../language/language.tsx';

interface Props {
  /** What the button that sends the form says. */
  readonly submit: string;
  readonly isBusy: boolean;
  readonly isIncomplete?: boolean;
  readonly onClose: () => void;
}

/** The end of a form in a dialog: leave it, or send it. */
export const FormButtons = ({ submit, isBusy, isIncomplete = false, onClose }: Props): ReactNode => {
  const t = useTranslate();
  return (
    <Group justify="flex-end">
      <Button variant="default" onClick={onClose}>
        {t('common.cancel')}
      </Button>
      <Button type="submit" loading={isBusy} disabled={isIncomplete}>
        {submit}
      </Button>
    </Group>
  );
};

interface SaveProps {
  readonly label: string;
  /** What it says once that is done. */
  readonly saved: string;
  readonly change: { readonly isPending: boolean; readonly isSuccess: boolean };
}

/** The end of a form that stays: saves it, and says so. */
export const SaveButton = ({ label, saved, change: { isPending, isSuccess } }: SaveProps): ReactNode => (
  <Group>
    <Button type="submit" loading={isPending}>
      {label}
    </Button>
    <Text size="sm" c="dimmed" role="status">
      {isSuccess ? saved : ''}
    </Text>
  </Group>
);
