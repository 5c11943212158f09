import { withLaterMessages } from '../language/load-translator.ts';
import { type LateScreen, lateScreen } from './late.ts';

/** The screens of those who are signed in, by their address. `/documents` is where everybody starts. */
export const INSIDE_SCREENS: readonly (readonly [path: string, screen: LateScreen])[] = [
  ['/welcome', lateScreen(withLaterMessages(() => import('../screens/first-run/welcome.tsx')))],
  ['/documents', lateScreen(() => import('../screens/documents/documents.tsx'))],
  ['/documents/:id', lateScreen(() => import('../screens/document/document.tsx'))],
  ['/documents/:id/pages', lateScreen(withLaterMessages(() => import('../screens/page-editor/page-editor.tsx')))],
  ['/search', lateScreen(() => import('../screens/search/search.tsx'))],
  ['/saved-searches', lateScreen(() => import('../screens/saved-searches/saved-searches.tsx'))],
  ['/saved-searches/:id', lateScreen(() => import('../screens/saved-searches/saved-search.tsx'))],
  ['/shares', lateScreen(withLaterMessages(() => import('../screens/shares/shares.tsx')))],
  ['/share-target', lateScreen(withLaterMessages(() => import('../screens/shared-files/shared-files.tsx')))],
  ['/trash', lateScreen(withLaterMessages(() => import('../screens/trash/trash.tsx')))],
  ['/labels', lateScreen(() => import('../screens/labels/labels.tsx'))],
  ['/correspondents', lateScreen(() => import('../screens/filing/correspondents.tsx'))],
  ['/document-types', lateScreen(() => import('../screens/filing/document-types.tsx'))],
  ['/rules', lateScreen(() => import('../screens/rules/rules.tsx'))],
  ['/sources', lateScreen(withLaterMessages(() => import('../screens/sources/sources.tsx')))],
  ['/sources/:id', lateScreen(withLaterMessages(() => import('../screens/sources/source.tsx')))],
  ['/queue', lateScreen(withLaterMessages(() => import('../screens/queue/queue.tsx')))],
  ['/ingest', lateScreen(() => import('../screens/ingest/ingest.tsx'))],
  ['/notifications', lateScreen(withLaterMessages(() => import('../screens/notifications/notifications.tsx')))],
  ['/settings', lateScreen(() => import('../screens/settings/settings.tsx'))],
  ['/profile', lateScreen(() => import('../screens/profile/profile.tsx'))],
  ['/users', lateScreen(() => import('../screens/users/users.tsx'))],
  ['/users/roles', lateScreen(withLaterMessages(() => import('../screens/roles/roles.tsx')))],
  // `/health` itself is what probes ask
  ['/service-health', lateScreen(withLaterMessages(() => import('../screens/health/health.tsx')))],
  ['/analytics', lateScreen(() => import('../screens/analytics/analytics.tsx'))],
  ['/audit', lateScreen(withLaterMessages(() => import('../screens/audit/audit.tsx')))],
  ['/deliveries', lateScreen(withLaterMessages(() => import('../screens/deliveries/deliveries.tsx')))],
  ['/imports', lateScreen(withLaterMessages(() => import('../screens/imports/imports.tsx')))],
  ['/system', lateScreen(withLaterMessages(() => import('../screens/system/system.tsx')))],
  ['/system/fields', lateScreen(() => import('../screens/fields/fields.tsx'))],
];

const fits = (pattern: string, path: string): boolean => {
  const [wanted, given] = [pattern.split('/'), path.split('/')];
  return wanted.length === given.length && wanted.every((part, index) => part.startsWith(':') || part === given[index]);
};

/** What the screen of a path is loaded with. */
export const screenAt = (path: string): LateScreen | undefined =>
  INSIDE_SCREENS.find(([pattern]) => fits(pattern, path === '/' ? '/documents' : path))?.[1];
