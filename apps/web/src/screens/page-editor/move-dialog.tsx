import { NumberInput, Stack } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Dialog } from '../../components/dialog.tsx';
import { FormButtons } from '../../components/form-buttons.tsx';
import { useTranslate } from '../../language/language.tsx';

interface Props {
  readonly count: number;
  readonly onMove: (position: number) => void;
  readonly onClose: () => void;
}

/** Asks for the position that the selected pages move to. */
export const MoveDialog = ({ count, onMove, onClose }: Props): ReactNode => {
  const t = useTranslate();
  const [position, setPosition] = useState<number | string>(1);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (typeof position !== 'number') return;
    onMove(position);
    onClose();
  };
  return (
    <Dialog opened onClose={onClose} title={t('pageEditor.moveTo')}>
      <form onSubmit={submit}>
        <Stack gap="md">
          <NumberInput
            label={t('pageEditor.position')}
            value={position}
            onChange={setPosition}
            min={1}
            max={count}
            allowDecimal={false}
            data-autofocus
          />
          <FormButtons submit={t('pageEditor.move')} isBusy={false} isIncomplete={typeof position !== 'number'} onClose={onClose} />
        </Stack>
      </form>
    </Dialog>
  );
};
