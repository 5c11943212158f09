import { type PermissionName, VERBS } from '../../permissions.ts';

/** The models of Paperless-ngx: its importer replaces its own list by that of the export. */
const MODELS: Readonly<Record<string, readonly string[]>> = {
  account: ['emailaddress', 'emailconfirmation'],
  admin: ['logentry'],
  auditlog: ['logentry'],
  auth: ['group', 'permission', 'user'],
  authtoken: ['token', 'tokenproxy'],
  contenttypes: ['contenttype'],
  django_celery_results: ['chordcounter', 'groupresult', 'taskresult'],
  documents: [
    'correspondent',
    'customfield',
    'customfieldinstance',
    'document',
    'documenttype',
    'note',
    'paperlesstask',
    'savedview',
    'savedviewfilterrule',
    'sharelink',
    'storagepath',
    'tag',
    'uisettings',
    'workflow',
    'workflowaction',
    'workflowactionemail',
    'workflowactionwebhook',
    'workflowrun',
    'workflowtrigger',
  ],
  guardian: ['groupobjectpermission', 'userobjectpermission'],
  mfa: ['authenticator'],
  paperless: ['applicationconfiguration'],
  paperless_mail: ['mailaccount', 'mailrule', 'processedmail'],
  sessions: ['session'],
  socialaccount: ['socialaccount', 'socialapp', 'socialtoken'],
};

export interface ContentTypes {
  readonly records: readonly ManifestRecord[];
  numberOf(permission: PermissionName): number | undefined;
}

/** The records of content types and permissions, and the numbers of these. */
export const contentTypes = (): ContentTypes => {
  const types: ManifestRecord[] = [];
  const permissions: ManifestRecord[] = [];
  const numbers = new Map<string, number>();
  for (const [app, models] of Object.entries(MODELS)) {
    for (const model of models) {
      const type = types.length + 1;
      types.push({ model: 'contenttypes.contenttype', pk: type, fields: { app_label: app, model } });
      for (const verb of VERBS) {
        const pk = permissions.length + 1;
        const codename = `${verb}_${model}`;
        numbers.set(`${app}.${codename}`, pk);
        permissions.push({ model: 'auth.permission', pk, fields: { name: `Can ${verb} ${model}`, content_type: type, codename } });
      }
    }
  }
  return { records: [...types, ...permissions], numberOf: (permission) => numbers.get(permission) };
};

/** A record as Django's serializer writes it, and as `loaddata` reads it. */
export interface ManifestRecord {
  readonly model: string;
  readonly pk: number;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly __exported_file_name__?: string;
  /** What Paperless-ngx has no place for, and does not look at. */
  readonly __sheaf__?: Readonly<Record<string, unknown>>;
}

/** Which exports are written: those of 2 have MD5 checksums and allow a file once, those of 3 have SHA-256. */
export type PaperlessFormat = 2 | 3;

/** The versions that exports say they are from. */
export const FORMAT_VERSIONS: Readonly<Record<PaperlessFormat, string>> = { 2: '2.20.15', 3: '3.0.5' };

/** A time as Django writes it. PostgreSQL knows times that JavaScript does not: those become the first one. */
export const toTime = (date: Date): string => (Number.isFinite(date.getTime()) ? date : new Date(0)).toISOString();

/** Characters that a column of Paperless-ngx takes. */
export const NAME_CHARACTERS = 128;

export const shortened = (text: string, characters: number): string =>
  text.length <= characters ? text : Array.from(text).slice(0, characters).join('');

/** `__sheaf__` with what is not undefined; nothing where all is. */
export const sheafExtra = (extra: Readonly<Record<string, unknown>>): Pick<ManifestRecord, '__sheaf__'> => {
  const known = Object.entries(extra).filter(([, value]) => value !== undefined);
  return known.length === 0 ? {} : { __sheaf__: Object.fromEntries(known) };
};

/** Numbers for rows, from `first` on, in the order in which they are added. */
export class RowNumbers {
  readonly #numbers = new Map<string, number>();
  #next: number;

  constructor(first = 1) {
    this.#next = first;
  }

  add(id: string): number {
    const number = this.#next;
    this.#next += 1;
    this.#numbers.set(id, number);
    return number;
  }

  of(id: string | null): number | null {
    return id === null ? null : (this.#numbers.get(id) ?? null);
  }
}
