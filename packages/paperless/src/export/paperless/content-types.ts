import type { ManifestRecord } from './records.ts';

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

const VERBS = ['add', 'change', 'delete', 'view'] as const;
export type Verb = (typeof VERBS)[number];

/** A permission such as documents.view_document. */
export type PermissionName = `${string}.${Verb}_${string}`;

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
