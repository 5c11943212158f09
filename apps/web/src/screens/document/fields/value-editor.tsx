import { Anchor, Group, NativeSelect, Stack, Textarea, TextInput } from '@mantine/core';
import { FIELD_TEXT_LIMITS } from '@sheaf/vocabulary/custom-fields';
import { type FocusEvent, type ReactNode, useRef } from 'react';
import { Link } from 'wouter';
import type { CustomField } from '../../../components/all-fields.ts';
import { DocumentPicker } from '../../../components/document-picker.tsx';
import { useCall } from '../../../interface/call.ts';
import { useTranslate } from '../../../language/language.tsx';
import type { Document } from '../document-facts.tsx';

export type FieldValue = Document['fields'][string];

export interface EditorProps {
  readonly field: CustomField;
  readonly value: FieldValue | undefined;
  readonly isReadOnly: boolean;
  readonly error: string | undefined;
  /** Null: nothing is left in the field, which remains. */
  readonly onChange: (value: FieldValue | null) => void;
  /** What was typed is no value, and why. */
  readonly onWrong: (message: string) => void;
}

/** What is asked again after a change. */
export const TOUCHED = ['get /api/documents/{id}', 'get /api/documents', 'get /api/fields'] as const;

/** Large enough for a finger. */
export const TARGET = { display: 'inline-flex', alignItems: 'center', minHeight: 24 } as const;

/** A link to another document. */
const LinkEditor = ({ field, value, isReadOnly, error, onChange }: EditorProps): ReactNode => {
  const t = useTranslate();
  const id = typeof value === 'string' ? value : '';
  const title = useCall('get /api/documents/{id}', { params: { id } }, { enabled: id !== '' }).data?.title;
  return (
    <Stack gap={2}>
      <DocumentPicker label={field.name} value={id} title={title} isReadOnly={isReadOnly} error={error} onChange={onChange} />
      {title !== undefined && (
        <Anchor component={Link} href={`/documents/${id}`} size="sm" className="stranger" style={TARGET}>
          {t('customFields.open', { name: title })}
        </Anchor>
      )}
    </Stack>
  );
};

const textOf = (value: FieldValue | undefined): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');

/** What browsers open from a link: the service stores nothing else, and this looks once more. */
const isWebAddress = (text: string): boolean => /^https?:\/\//i.test(text);

const LineEditor = ({ field, value, isReadOnly, error, onChange, onWrong }: EditorProps): ReactNode => {
  const t = useTranslate();
  const { type } = field;
  const isNumber = type === 'number' || type === 'integer';
  const text = textOf(value);
  const onBlur = ({ currentTarget }: FocusEvent<HTMLInputElement>): void => {
    const typed = currentTarget.value.trim();
    if (currentTarget.validity.badInput) onWrong(t(type === 'date' ? 'issues.not_date' : 'customFields.notNumber'));
    else if (typed === '') onChange(null);
    else if (type === 'integer' && !Number.isInteger(Number(typed))) onWrong(t('customFields.notInteger'));
    else onChange(isNumber ? Number(typed) : typed);
  };
  return (
    <Stack gap={2}>
      <TextInput
        size="sm"
        type={isNumber ? 'number' : type === 'date' || type === 'url' ? type : 'text'}
        {...(isNumber ? { step: type === 'integer' ? 1 : 'any' } : {})}
        {...(type === 'text' || type === 'url' ? { maxLength: FIELD_TEXT_LIMITS[type] } : {})}
        label={field.name}
        defaultValue={text}
        readOnly={isReadOnly}
        error={error}
        onBlur={onBlur}
      />
      {type === 'url' && isWebAddress(text) && (
        <Anchor href={text} target="_blank" rel="noreferrer noopener" size="sm" className="stranger" style={TARGET}>
          {t('customFields.open', { name: field.name })}
        </Anchor>
      )}
    </Stack>
  );
};

const LongTextEditor = ({ field, value, isReadOnly, error, onChange }: EditorProps): ReactNode => (
  <Textarea
    size="sm"
    label={field.name}
    defaultValue={textOf(value)}
    maxLength={FIELD_TEXT_LIMITS.long_text}
    readOnly={isReadOnly}
    error={error}
    autosize
    minRows={2}
    maxRows={12}
    onBlur={({ currentTarget }) => onChange(currentTarget.value.trim() === '' ? null : currentTarget.value.trim())}
  />
);

const ChoiceEditor = ({ field, value, isReadOnly, error, onChange }: EditorProps): ReactNode => {
  const t = useTranslate();
  const isBoolean = field.type === 'boolean';
  const choices = isBoolean
    ? [
        { value: 'true', label: t('customFields.yes') },
        { value: 'false', label: t('customFields.no') },
      ]
    : field.choices.map((choice) => ({ value: choice, label: choice }));
  const toValue = (chosen: string): FieldValue | null => {
    if (chosen === '') return null;
    return isBoolean ? chosen === 'true' : chosen;
  };
  return (
    <NativeSelect
      size="sm"
      label={field.name}
      data={[{ value: '', label: '–' }, ...choices]}
      defaultValue={typeof value === 'boolean' ? String(value) : textOf(value)}
      disabled={isReadOnly}
      error={error}
      onChange={({ currentTarget }) => onChange(toValue(currentTarget.value))}
    />
  );
};

/** What the value of a field is typed into, by the type of the field. */
export const ValueEditor = (props: EditorProps): ReactNode => {
  switch (props.field.type) {
    case 'long_text':
      return <LongTextEditor {...props} />;
    case 'boolean':
    case 'choice':
      return <ChoiceEditor {...props} />;
    case 'amount':
      return <AmountEditor {...props} />;
    case 'document':
      return <LinkEditor {...props} />;
    default:
      return <LineEditor {...props} />;
  }
};

/** Of a field without a default currency: what is most often typed; it is there to be changed. */
const USUAL_CURRENCY = 'EUR';

/** An amount and its currency, kept together when both are left. */
const AmountEditor = ({ field, value, isReadOnly, error, onChange }: EditorProps): ReactNode => {
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
