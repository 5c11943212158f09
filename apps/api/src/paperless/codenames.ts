import { type Action, type Principal, scopeOf } from '@sheaf/vocabulary/permissions';

type Verb = 'view' | 'add' | 'change' | 'delete';

/** Which of our permissions each model of Paperless takes; what is missing is allowed to nobody. */
const MODELS: Readonly<Record<string, Partial<Readonly<Record<Verb, Action>>>>> = {
  document: { view: 'documents.read', add: 'documents.create', change: 'documents.update', delete: 'documents.delete' },
  note: { view: 'documents.read', add: 'documents.update', change: 'documents.update', delete: 'documents.update' },
  tag: { view: 'labels.read', add: 'labels.create', change: 'labels.update', delete: 'labels.delete' },
  correspondent: { view: 'labels.read', add: 'labels.create', change: 'labels.update', delete: 'labels.delete' },
  documenttype: { view: 'labels.read', add: 'labels.create', change: 'labels.update', delete: 'labels.delete' },
  customfield: { view: 'documents.read', add: 'settings.update', change: 'settings.update', delete: 'settings.update' },
  savedview: { view: 'search.query', add: 'search.query', change: 'search.query', delete: 'search.query' },
  sharelink: { view: 'documents.share', add: 'documents.share', change: 'documents.share', delete: 'documents.share' },
  paperlesstask: { view: 'documents.read' },
  user: { view: 'users.read' },
  uisettings: { view: 'documents.read' },
};

/** What the caller may do in the words of Paperless, such as view_document. */
export const codenamesOf = ({ permissions }: Principal): string[] =>
  Object.entries(MODELS).flatMap(([model, actions]) =>
    Object.entries(actions).flatMap(([verb, action]) => (scopeOf(permissions, action) === 'none' ? [] : [`${verb}_${model}`])),
  );
