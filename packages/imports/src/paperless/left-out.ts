import type { PaperlessRecord } from '@sheaf/paperless/archive';
import { type ImportContext, nameOf, readAll, readRecord } from './context.ts';
import { groupFields, objectPermissionFields, permissionFields } from './records.ts';
import type { DocumentScan } from './scan.ts';
import type { ImportedUser } from './users.ts';

/** Records that have no counterpart here, each reported by its name. */
const LEFT_OUT: Readonly<Record<string, readonly [kind: string, reason: string]>> = {
  'documents.sharelink': ['share link', 'Links to documents are not taken over: they would lead to another address'],
  'documents.sharelinkbundle': ['share link bundle', 'Prepared archives of several documents are not taken over'],
  'paperless_mail.mailaccount': ['mail account', 'Documents are not fetched from mailboxes'],
  'paperless_mail.mailrule': ['mail rule', 'Documents are not fetched from mailboxes'],
  'documents.workflow': ['workflow', 'Workflows with triggers, templates, e-mails and webhooks are not taken over; see Rules'],
  'paperless.applicationconfiguration': ['settings', 'Settings of the other program'],
  'socialaccount.socialaccount': ['single sign-on', 'The account of an identity provider belongs to the other installation'],
  'socialaccount.socialapp': ['single sign-on', 'The identity provider is to be set up here'],
  'socialaccount.socialtoken': ['single sign-on', 'The token belongs to the other installation'],
  'mfa.authenticator': [
    'second factor',
    'The second factor is not taken over: until the user sets one up here, the password alone opens the account',
  ],
};

/** Records of which there are many: how many there are is reported. */
const COUNTED: Readonly<Record<string, readonly [kind: string, reason: string]>> = {
  'documents.uisettings': ['settings', 'Settings of users for the other program'],
  'auditlog.logentry': ['log entries', 'History of the other program'],
};

const RIGHTS = 'Rights to single documents and entries are not taken over: roles say what users may see and change';
const PERMISSION_MODELS: ReadonlySet<string> = new Set(['guardian.userobjectpermission', 'guardian.groupobjectpermission']);

interface Names {
  readonly users: ReadonlyMap<string, string>;
  readonly groups: ReadonlyMap<string, string>;
  readonly permissions: ReadonlyMap<string, string>;
}

/** Reports who had a right to a single document or entry. */
const leavePermission = (context: ImportContext, record: PaperlessRecord, ids: DocumentScan['ids'], names: Names): void => {
  const { report, source } = context;
  const fields = readRecord(context, record, objectPermissionFields)?.fields;
  if (fields === undefined) return;
  const { permission, object_pk: object, user, group = '' } = fields;
  const right = names.permissions.get(permission) ?? `permission ${permission}`;
  const who = user === undefined ? `group ${names.groups.get(group) ?? group}` : (names.users.get(user) ?? `user ${user}`);
  const isDocument = right.endsWith('_document');
  report.leave(
    'permission',
    isDocument ? `${right} for ${who}` : `${right} ${object} for ${who}`,
    isDocument && !ids.has(object) ? `It is for document ${object}, which is not in the export` : RIGHTS,
    isDocument ? `${source}:${object}` : null,
  );
};

/** Reports everything of the export that has no counterpart here. */
export const leaveOthers = async (
  context: ImportContext,
  { ids }: DocumentScan,
  users: ReadonlyMap<string, ImportedUser>,
): Promise<void> => {
  const { archive, report } = context;
  const names = {
    users: new Map([...users].map(([pk, { username }]) => [pk, username])),
    groups: new Map([...readAll(context, 'auth.group', groupFields)].map(([pk, { name }]) => [pk, name])),
    permissions: new Map([...readAll(context, 'auth.permission', permissionFields)].map(([pk, { codename }]) => [pk, codename])),
  };
  const counts = new Map<string, number>();
  for await (const record of archive.records([...Object.keys(LEFT_OUT), ...Object.keys(COUNTED), ...PERMISSION_MODELS])) {
    const [kind, reason] = LEFT_OUT[record.model] ?? [];
    if (PERMISSION_MODELS.has(record.model)) leavePermission(context, record, ids, names);
    else if (kind !== undefined && reason !== undefined)
      report.leave(kind, names.users.get(String(record.fields['user'])) ?? nameOf(record), reason);
    else counts.set(record.model, (counts.get(record.model) ?? 0) + 1);
  }
  for (const [model, count] of counts) {
    const [kind = model, reason = ''] = COUNTED[model] ?? [];
    report.leave(kind, `${count} × ${model}`, reason);
  }
};
