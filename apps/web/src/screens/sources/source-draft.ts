import type { BarcodeSettings } from '@sheaf/contract/sources';
import type { SourceType } from '@sheaf/vocabulary/sources';
import type { Answer, Arguments } from '../../interface/call.ts';

export type Source = Answer<'get /api/sources/{id}'>;
type CreateBody = Arguments<'post /api/sources'>['body'];
type UpdateBody = Arguments<'patch /api/sources/{id}'>['body'];
type TestBody = Arguments<'post /api/sources/test'>['body'];

/** What is not given is as the settings of the service have it. */
export type Barcodes = Partial<BarcodeSettings>;

/** What the form holds, whatever the kind of source; texts as they were typed. */
export interface SourceDraft {
  readonly type: SourceType;
  readonly name: string;
  readonly url: string;
  readonly username: string;
  /** Empty: keep the one there is. */
  readonly password: string;
  readonly bucket: string;
  readonly region: string;
  readonly endpointUrl: string;
  readonly prefix: string;
  readonly pathStyle: boolean | undefined;
  readonly path: string;
  readonly intervalSeconds: number;
  readonly recursive: boolean;
  /** One a line. */
  readonly patterns: string;
  readonly onRemoteDelete: 'keep' | 'delete';
  readonly barcodes: Barcodes;
  readonly enabled: boolean;
}

const HOUR_SECONDS = 3_600;

export const emptyDraft: SourceDraft = {
  type: 'webdav',
  name: '',
  url: '',
  username: '',
  password: '',
  bucket: '',
  region: '',
  endpointUrl: '',
  prefix: '',
  pathStyle: undefined,
  path: '',
  intervalSeconds: HOUR_SECONDS,
  recursive: true,
  patterns: '*',
  onRemoteDelete: 'keep',
  barcodes: {},
  enabled: true,
};

const settingsOf = (source: Source): Readonly<Record<string, unknown>> => source.settings;
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A source as the form shows it. */
export const draftOf = (source: Source): SourceDraft => {
  const settings = settingsOf(source);
  return {
    type: source.type,
    name: source.name,
    url: source.url ?? '',
    username: source.username ?? '',
    password: '',
    bucket: textOf(settings['bucket']),
    region: textOf(settings['region']),
    endpointUrl: textOf(settings['endpoint_url']),
    prefix: textOf(settings['prefix']),
    pathStyle: typeof settings['force_path_style'] === 'boolean' ? settings['force_path_style'] : undefined,
    path: textOf(settings['path']),
    intervalSeconds: source.sync_interval,
    recursive: source.recursive,
    patterns: source.file_patterns.join('\n'),
    onRemoteDelete: settings['on_remote_delete'] === 'delete' ? 'delete' : 'keep',
    barcodes: settings['barcodes'] ?? {},
    enabled: source.enabled,
  };
};

const given = <K extends string>(name: K, value: string): Partial<Record<K, string>> =>
  value.trim() === '' ? {} : ({ [name]: value.trim() } as Record<K, string>);

const toSettings = (draft: SourceDraft): Record<string, unknown> => {
  const shared = {
    ...(draft.onRemoteDelete === 'keep' ? {} : { on_remote_delete: draft.onRemoteDelete }),
    ...(Object.values(draft.barcodes).every((value) => value === undefined) ? {} : { barcodes: draft.barcodes }),
  };
  switch (draft.type) {
    case 'webdav':
      return shared;
    case 's3':
      return {
        bucket: draft.bucket.trim(),
        ...given('region', draft.region),
        ...given('endpoint_url', draft.endpointUrl),
        ...given('prefix', draft.prefix),
        ...(draft.pathStyle === undefined ? {} : { force_path_style: draft.pathStyle }),
        ...shared,
      };
    case 'local_folder':
      return { path: draft.path.trim(), ...shared };
  }
};

const patternsOf = ({ patterns }: SourceDraft): string[] => {
  const lines = patterns
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return lines.length === 0 ? ['*'] : lines;
};

const common = (draft: SourceDraft) => ({
  name: draft.name,
  sync_interval: draft.intervalSeconds,
  recursive: draft.recursive,
  file_patterns: patternsOf(draft),
  enabled: draft.enabled,
  settings: toSettings(draft),
});

const place = (draft: SourceDraft) => ({
  ...(draft.type === 'webdav' ? { url: draft.url.trim() } : {}),
  ...(draft.type === 'local_folder'
    ? {}
    : { ...given('username', draft.username), ...(draft.password === '' ? {} : { password: draft.password }) }),
});

/** Of a source that is there: who takes the name out wants it to be asked without one, and without its password. */
const changedPlace = (draft: SourceDraft) =>
  draft.type === 'local_folder' || draft.username.trim() !== '' ? place(draft) : { ...place(draft), username: null, password: null };

export const toCreateBody = (draft: SourceDraft): CreateBody => ({ type: draft.type, ...common(draft), ...place(draft) }) as CreateBody;

export const toUpdateBody = (draft: SourceDraft): UpdateBody => ({ ...common(draft), ...changedPlace(draft) });

/** To be tried: in place of a source that is there, or by itself. */
export const toTestBody = (draft: SourceDraft, id: string | undefined): TestBody => {
  const { name: _, ...rest } = common(draft);
  return id === undefined ? { type: draft.type, ...rest, ...place(draft) } : { id, ...rest, ...changedPlace(draft) };
};
