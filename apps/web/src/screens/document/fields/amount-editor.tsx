import { Group, TextInput } from '@mantine/core';
import { type FocusEvent, type ReactNode, useRef } from 'react';
import { useTranslate } from '../../../language/language.tsx';
import type { EditorProps } from './editor-props.ts';

/** Of a field without a default currency: what is most often typed; it is there to be changed. */
const USUAL_CURRENCY = 'EUR';

/** An amount and its currency, kept together when both are left. */
export const AmountEditor = ({ field, value, isReadOnly, error, onChange }: EditorProps): ReactNode => {
  const t = useTranslate();
  const [amountInput, currencyInput] = [useRef<HTMLInputElement>(null), useRef<HTMLInputElement>(null)];
  const { amount, currency } = typeof value === 'object' ? value : { amount: '', currency: field.default_currency ?? USUAL_CURRENCY };
  const onBlur = ({ currentTarget, relatedTarget }: FocusEvent<HTMLDivElement>): void => {
    if (currentTarget.contains(relatedTarget)) return;
    const typed = (amountInput.current?.value ?? '').trim().replace(',', '.');
    onChange(typed === '' ? null : { amount: typed, currency: (currencyInput.current?.value ?? '').trim().toUpperCase() });
  };
  return (
    <Group gap="xs" wrap="nowrap" align="flex-start" onBlur={onBlur}>
      <TextInput
        ref={amountInput}
        size="sm"
        label={field.name}
        inputMode="decimal"
        defaultValue={amount}
        maxLength={30}
        readOnly={isReadOnly}
        error={error}
        style={{ flex: 1 }}
      />
      <TextInput
        ref={currencyInput}
        size="sm"
        w={80}
        label={t('customFields.currency')}
        aria-label={t('customFields.currencyOf', { name: field.name })}
        defaultValue={currency}
        maxLength={3}
        readOnly={isReadOnly}
      />
    </Group>
  );
};
