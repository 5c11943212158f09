import { Button, Group } from '@mantine/core';
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
