import type { RequestedImportKind } from '@sheaf/vocabulary/imports';

/** An import as it is typed. */
export interface ImportDraft {
  readonly kind: RequestedImportKind;
  readonly place: 'upload' | 'server';
  readonly file: File | null;
  readonly path: string;
  readonly name: string;
  readonly owner: string;
  readonly passphrase: string;
  readonly pattern: string;
}

export const EMPTY_DRAFT: ImportDraft = {
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

export const toImportOrder = (draft: ImportDraft, isDryRun: boolean) => ({
  ...optionsOf(draft),
  path: draft.path,
  dry_run: isDryRun,
});

/** The same with a file. The fields stand before it, so that nothing large is sent in vain. */
export const toImportForm = (draft: ImportDraft, file: File, isDryRun: boolean): FormData => {
  const form = new FormData();
  for (const [name, value] of Object.entries(optionsOf(draft))) form.append(name, value);
  form.append('dry_run', String(isDryRun));
  form.append('file', file, file.name);
  return form;
};

/** Whether there is something to import. */
export const isComplete = ({ place, file, path }: ImportDraft): boolean => (place === 'upload' ? file !== null : path.trim() !== '');
