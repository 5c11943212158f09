import { Button, FileInput, Group, NativeSelect, PasswordInput, Progress, SegmentedControl, SimpleGrid, Stack } from '@mantine/core';
import type { ImportBody } from '@sheaf/contract/imports';
import { REQUESTED_IMPORT_KINDS, type RequestedImportKind } from '@sheaf/vocabulary/imports';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { ProblemNote, useFieldErrors } from '../../components/problem-note.tsx';
import { SectionCard } from '../../components/screen-parts.tsx';
import { SmallNote } from '../../components/small-note.tsx';
import { TextField } from '../../components/text-fields.tsx';
import { call, refresh } from '../../interface/call.ts';
import type { Problem } from '../../interface/problem.ts';
import { sendForm } from '../../interface/upload.ts';
import { useFormat, useTranslate } from '../../language/language.tsx';

interface Order {
  readonly draft: ImportDraft;
  readonly isDryRun: boolean;
  readonly onProgress: (share: number) => void;
}

const send = async ({ draft, isDryRun, onProgress }: Order): Promise<ImportBody> => {
  const { place, file } = draft;
  if (place === 'server') return call('post /api/imports', { body: toImportOrder(draft, isDryRun) });
  if (file === null) throw new Error('there is no file');
  const form = { path: '/api/imports', form: toImportForm(draft, file, isDryRun), files: [file] };
  return (await sendForm(form, { onProgress })) as ImportBody;
};

interface FieldsProps {
  readonly draft: ImportDraft;
  readonly set: (changes: Partial<ImportDraft>) => void;
  readonly errorOf: (path: string) => string | undefined;
}

const Place = ({ draft, set, errorOf }: FieldsProps): ReactNode => {
  const t = useTranslate();
  const { place, file, path } = draft;
  return (
    <Stack gap="xs">
      <SegmentedControl
        aria-label={t('imports.place')}
        style={{ alignSelf: 'flex-start' }}
        value={place}
        onChange={(next) => set({ place: next === 'server' ? 'server' : 'upload' })}
        data={[
          { value: 'upload', label: t('imports.upload') },
          { value: 'server', label: t('imports.server') },
        ]}
      />
      {place === 'upload' ? (
        <FileInput
          label={t('imports.file')}
          description={t('imports.fileHint')}
          placeholder={t('imports.chooseFile')}
          accept="application/zip,.zip"
          value={file}
          onChange={(next) => set({ file: next })}
          error={errorOf('file')}
        />
      ) : (
        <TextField
          label={t('imports.path')}
          description={t('imports.pathHint')}
          value={path}
          onChange={(path) => set({ path })}
          error={errorOf('path')}
        />
      )}
    </Stack>
  );
};

const Options = ({ draft, set, errorOf }: FieldsProps): ReactNode => {
  const t = useTranslate();
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <TextField
        label={t('imports.owner')}
        description={t('imports.ownerHint')}
        value={draft.owner}
        onChange={(owner) => set({ owner })}
        error={errorOf('owner')}
      />
      <TextField
        label={t('imports.name')}
        description={t('imports.nameHint')}
        placeholder={draft.kind}
        value={draft.name}
        onChange={(name) => set({ name })}
        error={errorOf('name')}
      />
      {draft.kind === 'paperless' && (
        <PasswordInput
          label={t('imports.passphrase')}
          description={t('imports.passphraseHint')}
          autoComplete="off"
          value={draft.passphrase}
          onChange={(event) => set({ passphrase: event.currentTarget.value })}
          error={errorOf('passphrase')}
        />
      )}
      {draft.kind === 'folder' && (
        <TextField
          label={t('imports.pattern')}
          description={t('imports.patternHint')}
          placeholder="{labels}/{title}"
          value={draft.pattern}
          onChange={(pattern) => set({ pattern })}
          error={errorOf('pattern')}
        />
      )}
    </SimpleGrid>
  );
};

const Sending = ({ share }: { readonly share: number }): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  return (
    <Stack gap={4} role="status">
      <Progress value={share * 100} aria-label={t('imports.uploading')} />
      <SmallNote>
        {t('imports.uploading')} · {format.percent(share)}
      </SmallNote>
    </Stack>
  );
};

/** Chooses what is imported, tries it, and imports it. `onStarted` gets the import that was asked for. */
export const NewImport = ({ onStarted }: { readonly onStarted: (id: string) => void }): ReactNode => {
  const t = useTranslate();
  const client = useQueryClient();
  const [draft, setDraft] = useState(EMPTY_DRAFT);
  const [share, setShare] = useState<number>();
  const order = useMutation<ImportBody, Problem, Order>({ mutationFn: send, onSettled: () => setShare(undefined) });
  const errorOf = useFieldErrors(order.error);
  const set = (changes: Partial<ImportDraft>): void => setDraft((before) => ({ ...before, ...changes }));
  const begin = (isDryRun: boolean): void =>
    order.mutate(
      { draft, isDryRun, onProgress: setShare },
      {
        onSuccess: ({ id }) => {
          onStarted(id);
          void refresh(client, ['get /api/imports']);
        },
      },
    );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    begin(true);
  };
  const kinds = REQUESTED_IMPORT_KINDS.map((kind) => ({ value: kind, label: t(`imports.kind.${kind}`) }));
  const fields = { draft, set, errorOf };
  return (
    <SectionCard title={t('imports.new')} hint={t('imports.newHint')}>
      <form onSubmit={submit}>
        <Stack gap="md">
          <ProblemNote problem={order.error} />
          <NativeSelect
            label={t('imports.kind')}
            description={t(`imports.kindHint.${draft.kind}`)}
            data={kinds}
            value={draft.kind}
            onChange={(event) => set({ kind: event.currentTarget.value as RequestedImportKind })}
          />
          <Place {...fields} />
          <Options {...fields} />
          {share !== undefined && <Sending share={share} />}
          <Group justify="flex-end">
            <Button variant="default" loading={order.isPending} disabled={!isComplete(draft)} onClick={() => begin(false)}>
              {t('imports.start')}
            </Button>
            <Button type="submit" loading={order.isPending} disabled={!isComplete(draft)}>
              {t('imports.dryRun')}
            </Button>
          </Group>
        </Stack>
      </form>
    </SectionCard>
  );
};

/** An import as it is typed. */
interface ImportDraft {
  readonly kind: RequestedImportKind;
  readonly place: 'upload' | 'server';
  readonly file: File | null;
  readonly path: string;
  readonly name: string;
  readonly owner: string;
  readonly passphrase: string;
  readonly pattern: string;
}

const EMPTY_DRAFT: ImportDraft = {
  kind: 'paperless',
  place: 'upload',
  file: null,
  path: '',
  name: '',
  owner: '',
  passphrase: '',
  pattern: '',
};

/** What is missing is left out: the service knows what it takes instead. */
const optionsOf = ({ kind, name, owner, passphrase, pattern }: ImportDraft) => ({
  kind,
  ...(name === '' ? {} : { name }),
  ...(owner === '' ? {} : { owner }),
  ...(passphrase === '' || kind !== 'paperless' ? {} : { passphrase }),
  ...(pattern === '' || kind !== 'folder' ? {} : { pattern }),
});

const toImportOrder = (draft: ImportDraft, isDryRun: boolean) => ({
  ...optionsOf(draft),
  path: draft.path,
  dry_run: isDryRun,
});

/** The same with a file. The fields stand before it, so that nothing large is sent in vain. */
const toImportForm = (draft: ImportDraft, file: File, isDryRun: boolean): FormData => {
  const form = new FormData();
  for (const [name, value] of Object.entries(optionsOf(draft))) form.append(name, value);
  form.append('dry_run', String(isDryRun));
  form.append('file', file, file.name);
  return form;
};

/** Whether there is something to import. */
const isComplete = ({ place, file, path }: ImportDraft): boolean => (place === 'upload' ? file !== null : path.trim() !== '');
