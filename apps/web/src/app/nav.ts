import type { Action } from '@sheaf/contract';
import {
  IconActivityHeartbeat,
  IconBell,
  IconChartBar,
  IconCloudDownload,
  IconFiles,
  IconHistory,
  IconListCheck,
  type IconProps,
  IconSearch,
  IconSend,
  IconSettings,
  IconShieldCheck,
  IconTags,
  IconUsers,
} from '@tabler/icons-react';
import type { ComponentType } from 'react';
import type { shellTexts } from './shell-texts.ts';

export interface NavItem {
  readonly path: string;
  readonly label: keyof (typeof shellTexts)['en'];
  readonly icon: ComponentType<IconProps>;
  /** Who may not do this is not shown the way there. */
  readonly needs?: Action;
  readonly group: 'work' | 'admin';
}

/** The ways to all screens, in their order. */
export const NAV_ITEMS: readonly NavItem[] = [
  { path: '/documents', label: 'documents', icon: IconFiles, needs: 'documents.read', group: 'work' },
  { path: '/search', label: 'search', icon: IconSearch, needs: 'search.query', group: 'work' },
  { path: '/labels', label: 'labels', icon: IconTags, needs: 'labels.read', group: 'work' },
  { path: '/sources', label: 'sources', icon: IconCloudDownload, needs: 'sources.read', group: 'work' },
  { path: '/queue', label: 'queue', icon: IconListCheck, needs: 'ocr.read', group: 'work' },
  { path: '/ingest', label: 'ingest', icon: IconHistory, group: 'work' },
  { path: '/notifications', label: 'notifications', icon: IconBell, group: 'work' },
  { path: '/analytics', label: 'analytics', icon: IconChartBar, needs: 'analytics.read', group: 'admin' },
  { path: '/users', label: 'users', icon: IconUsers, needs: 'users.read', group: 'admin' },
  { path: '/service-health', label: 'health', icon: IconActivityHeartbeat, needs: 'system.read', group: 'admin' },
  { path: '/audit', label: 'audit', icon: IconShieldCheck, needs: 'audit.view', group: 'admin' },
  { path: '/deliveries', label: 'deliveries', icon: IconSend, needs: 'system.read', group: 'admin' },
  { path: '/system', label: 'system', icon: IconSettings, needs: 'settings.read', group: 'admin' },
];

/** The way to the screen of an address, or to the one above it. */
export const navItemAt = (location: string): NavItem | undefined =>
  NAV_ITEMS.find(({ path }) => location === path || location.startsWith(`${path}/`));
