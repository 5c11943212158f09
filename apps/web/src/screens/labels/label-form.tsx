import { ColorInput, Select, Textarea } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { FormDialog } from '../../components/form-dialog.tsx';
import type { Label } from '../../components/label-picker.tsx';
import { NameField } from '../../components/text-field.tsx';
import { useAllLabels } from '../../components/use-all-labels.ts';
import { useChange } from '../../interface/use-call.ts';
import { useTranslate } from '../../language/language.tsx';
import { useFieldErrors } from '../../messages/use-problem-messages.ts';

/** Told apart from each other and from the ground, also by those who see few colours. */
const SWATCHES = ['#0b7269', '#1d4ed8', '#7e22ce', '#be123c', '#c2410c', '#a16207', '#15803d', '#475569'];

interface Props {
  /** Undefined: a new one. */
  readonly label: Label | undefined;
  readonly onClose: () => void;
}

/** Those that a label can stand below: neither itself nor what is below it. */
const possibleParents = (labels: readonly Label[], label: Label | undefined): readonly Label[] =>
  labels.filter(({ path }) => label === undefined || !path.includes(label.name));

/** Name, colour, description and parent of a label. */
export const LabelForm = ({ label, onClose }: Props): ReactNode => {
  const t = useTranslate();
  const [name, setName] = useState(label?.name ?? '');
  const [color, setColor] = useState(label?.color ?? SWATCHES[0] ?? '#0b7269');
  const [description, setDescription] = useState(label?.description ?? '');
  const [parentId, setParentId] = useState(label?.parent_id ?? null);
  const parents = possibleParents(useAllLabels(), label);
  const touches = ['get /api/labels', 'get /api/documents'] as const;
  const create = useChange('post /api/labels', touches);
  const update = useChange('patch /api/labels/{id}', touches);
  const change = label === undefined ? create : update;
  const errorOf = useFieldErrors(change.error);

  const save = (): void => {
    const body = { name, color, description, ...(parentId === (label?.parent_id ?? null) ? {} : { parent_id: parentId }) };
    if (label === undefined) create.mutate({ body }, { onSuccess: onClose });
    else update.mutate({ params: { id: label.id }, body }, { onSuccess: onClose });
  };

  const title = label === undefined ? t('labels.create') : t('labels.editOf', { name: label.name });
  return (
    <FormDialog title={title} change={change} submit={t('labels.save')} onSubmit={save} onClose={onClose}>
      <NameField label={t('labels.name')} value={name} onChange={setName} error={errorOf('name')} maxLength={100} />
      <ColorInput
        label={t('labels.color')}
        value={color}
        onChange={setColor}
        format="hex"
        swatches={SWATCHES}
        swatchesPerRow={8}
        error={errorOf('color')}
        withEyeDropper={false}
      />
      <Textarea
        label={t('labels.description')}
        value={description}
        onChange={(event) => setDescription(event.currentTarget.value)}
        error={errorOf('description')}
        maxLength={1_000}
        autosize
        minRows={2}
      />
      {parents.length > 0 && (
        <Select
          label={t('labels.parent')}
          description={t('labels.parentHint')}
          data={parents.map(({ id, path }) => ({ value: id, label: path.join(' / ') })).toSorted((a, b) => a.label.localeCompare(b.label))}
          value={parentId}
          onChange={setParentId}
          error={errorOf('parent_id')}
          searchable
          clearable
        />
      )}
    </FormDialog>
  );
};
