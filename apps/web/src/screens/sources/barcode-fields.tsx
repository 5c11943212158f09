import { Fieldset, NativeSelect, Stack, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslate } from '../../language/language.tsx';
import type { Barcodes } from './source-draft.ts';

const TEXTS = ['separator', 'asn_prefix', 'label_prefix'] as const;
const FLAGS = { default: undefined, yes: true, no: false } as const;

interface Props {
  readonly barcodes: Barcodes;
  readonly onChange: (barcodes: Barcodes) => void;
  readonly errorOf: (path: string) => string | undefined;
}

/** What barcodes mean on the pages of files of one source; what is not given is as the settings of the service have it. */
const BarcodeFields = ({ barcodes, onChange, errorOf }: Props): ReactNode => {
  const t = useTranslate();
  const flag = (name: 'enabled' | 'keep_separator'): ReactNode => (
    <NativeSelect
      label={t(`barcodeForm.${name}`)}
      data={(['default', 'yes', 'no'] as const).map((value) => ({ value, label: t(`barcodeForm.${value}`) }))}
      value={barcodes[name] === undefined ? 'default' : barcodes[name] ? 'yes' : 'no'}
      onChange={(event) => onChange({ ...barcodes, [name]: FLAGS[event.currentTarget.value as keyof typeof FLAGS] })}
    />
  );
  return (
    <Fieldset legend={t('barcodeForm.title')}>
      <Stack gap="sm">
        {flag('enabled')}
        {barcodes.enabled !== false && (
          <>
            {TEXTS.map((name) => (
              <TextInput
                key={name}
                label={t(`barcodeForm.${name}`)}
                description={t(barcodes[name] === '' ? 'barcodeForm.off' : 'barcodeForm.emptyHint')}
                value={barcodes[name] ?? ''}
                onChange={(event) =>
                  onChange({ ...barcodes, [name]: event.currentTarget.value === '' ? undefined : event.currentTarget.value })
                }
                error={errorOf(`settings.barcodes.${name}`)}
                maxLength={100}
                spellCheck={false}
                autoCapitalize="none"
                autoComplete="off"
              />
            ))}
            {flag('keep_separator')}
          </>
        )}
      </Stack>
    </Fieldset>
  );
};
export default BarcodeFields;
