import type { MessageKey } from '@sheaf/messages';
import type { Action } from '@sheaf/vocabulary/permissions';
import {
  IconActivityHeartbeat,
  IconAddressBook,
  IconBell,
  IconBookmarks,
  IconCategory,
  IconChartBar,
  IconCloudDownload,
  IconFiles,
  IconHistory,
  IconListCheck,
  IconPackageImport,
  type IconProps,
  IconRouteAltLeft,
  IconSearch,
  IconSend,
  IconSettings,
  IconShieldCheck,
  IconTags,
  IconTrash,
  IconUsers,
} from '@tabler/icons-react';
import type { ComponentType } from 'react';

export interface NavItem {
  readonly path: string;
  readonly label: Extract<MessageKey, `shell.${string}`>;
  readonly icon: ComponentType<IconProps>;
  /** Who may not do this is not shown the way there. */
  readonly needs?: Action;
  readonly group: 'work' | 'admin';
}

/** The ways to all screens, in their order. */
export const NAV_ITEMS: readonly NavItem[] = [
  { path: '/documents', label: 'shell.documents', icon: IconFiles, needs: 'documents.read', group: 'work' },
  { path: '/search', label: 'shell.search', icon: IconSearch, needs: 'search.query', group: 'work' },
  { path: '/saved-searches', label: 'shell.savedSearches', icon: IconBookmarks, needs: 'search.query', group: 'work' },
  { path: '/labels', label: 'shell.labels', icon: IconTags, needs: 'labels.read', group: 'work' },
  { path: '/correspondents', label: 'shell.correspondents', icon: IconAddressBook, needs: 'labels.read', group: 'work' },
  { path: '/document-types', label: 'shell.documentTypes', icon: IconCategory, needs: 'labels.read', group: 'work' },
  { path: '/rules', label: 'shell.rules', icon: IconRouteAltLeft, needs: 'documents.update', group: 'work' },
  { path: '/sources', label: 'shell.sources', icon: IconCloudDownload, needs: 'sources.read', group: 'work' },
  { path: '/queue', label: 'shell.queue', icon: IconListCheck, needs: 'ocr.read', group: 'work' },
  { path: '/ingest', label: 'shell.ingest', icon: IconHistory, group: 'work' },
  { path: '/trash', label: 'shell.trash', icon: IconTrash, needs: 'documents.delete', group: 'work' },
  { path: '/notifications', label: 'shell.notifications', icon: IconBell, group: 'work' },
  { path: '/analytics', label: 'shell.analytics', icon: IconChartBar, needs: 'analytics.read', group: 'admin' },
  { path: '/users', label: 'shell.users', icon: IconUsers, needs: 'users.read', group: 'admin' },
  { path: '/service-health', label: 'shell.health', icon: IconActivityHeartbeat, needs: 'system.read', group: 'admin' },
  { path: '/audit', label: 'shell.audit', icon: IconShieldCheck, needs: 'audit.view', group: 'admin' },
  { path: '/imports', label: 'shell.imports', icon: IconPackageImport, needs: 'users.update', group: 'admin' },
  { path: '/deliveries', label: 'shell.deliveries', icon: IconSend, needs: 'system.read', group: 'admin' },
  { path: '/system', label: 'shell.system', icon: IconSettings, needs: 'settings.read', group: 'admin' },
];

/** The way to the screen of an address, or to the one above it. */
export const navItemAt = (location: string): NavItem | undefined =>
  NAV_ITEMS.find(({ path }) => location === path || location.startsWith(`${path}/`));
