import { OWNER_RULE_PERMISSIONS } from '@sheaf/vocabulary/rules';
import type { ReactNode } from 'react';
import { useTranslate } from '../../language/language.tsx';
import { useSession } from '../../session/session.tsx';
import { EntrySelect } from './entry-select.tsx';
import { FieldValues } from './field-values.tsx';
import { OwnerSelect } from './owner-select.tsx';
import type { Sets } from './rule-draft.ts';

interface Props {
  readonly value: Sets;
  readonly onChange: (sets: Sets) => void;
}

/** What a rule sets beside the labels that it adds. */
export const SetFields = ({ value, onChange }: Props): ReactNode => {
  const t = useTranslate();
  const { may, reach } = useSession();
  const maySetOwner = may('users.read') && OWNER_RULE_PERMISSIONS.every((action) => reach(action) === 'all');
  return (
    <>
      <EntrySelect
        kind="correspondent"
        label={t('rules.setCorrespondent')}
        value={value.correspondent}
        onChange={(correspondent) => onChange({ ...value, correspondent })}
      />
      <EntrySelect
        kind="document_type"
        label={t('rules.setDocumentType')}
        value={value.documentType}
        onChange={(documentType) => onChange({ ...value, documentType })}
      />
      {maySetOwner && <OwnerSelect value={value.owner} onChange={(owner) => onChange({ ...value, owner })} />}
      <FieldValues value={value.fields} onChange={(fields) => onChange({ ...value, fields })} />
    </>
  );
};
