import { ActionIcon, Avatar, Burger, Text, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Link, Redirect, Route, Switch, useLocation } from 'wouter';
import { isTyping } from '../components/is-typing.ts';
import { useLatePopup } from '../components/late-popup.tsx';
import { ConnectionNote, EventsProvider } from '../events/events.tsx';
import { useTranslate } from '../language/language.tsx';
import { NotificationBell } from '../screens/notifications/notification-bell.tsx';
import { SearchField } from '../screens/search/search-field.tsx';
import { useSession } from '../session/session.tsx';
import { UploadButton } from '../uploads/upload-button.tsx';
import { UploadsProvider } from '../uploads/uploads.tsx';
import { INSIDE_SCREENS } from './inside-screens.ts';
import { late, lateScreen, useHasBeenIdle } from './late.ts';
import { NAV_ITEMS, type NavItem, navItemAt } from './nav.ts';
import './shell.css';

const SignInAgain = late(() => import('../session/sign-in-again.tsx')).Part;
const FactorDemanded = late(() => import('../session/factor-demanded.tsx')).Part;
const NotFound = lateScreen(() => import('../screens/not-found/not-found.tsx')).Part;
const Refused = lateScreen(() => import('../screens/not-found/refused.tsx')).Part;

/** The client of who is signed in: the screen of the address inside the shell. */
const Inside = (): ReactNode => {
  const { state, may } = useSession();
  const [location] = useLocation();
  const needed = navItemAt(location)?.needs;
  // it stays until it has closed by itself
  const hasExpired = useRef(false);
  hasExpired.current ||= state === 'expired';
  return (
    <Shell>
      <Switch>
        <Route path="/">
          <Redirect to="/documents" replace />
        </Route>
        {needed !== undefined && !may(needed) && <Route component={Refused} />}
        {INSIDE_SCREENS.map(([path, { Part }]) => (
          <Route key={path} path={path} component={Part} />
        ))}
        <Route component={NotFound} />
      </Switch>
      {hasExpired.current && <SignInAgain />}
      {state === 'factor-needed' && <FactorDemanded />}
    </Shell>
  );
};
export default Inside;

const Brand = (): ReactNode => (
  <UnstyledButton
    component={Link}
    href="/documents"
    aria-label="Sheaf"
    visibleFrom="xs"
    style={{ display: 'flex', alignItems: 'center', gap: 8 }}
  >
    <img src="/icon.svg" alt="" width={28} height={28} />
    <Text fw={700} size="lg" visibleFrom="sm">
      Sheaf
    </Text>
  </UnstyledButton>
);

const loadAccountMenu = () => import('./account-menu.tsx').then(({ AccountMenu }) => AccountMenu);

const AccountButton = (): ReactNode => {
  const t = useTranslate();
  const { button, popup } = useLatePopup('menu', loadAccountMenu);
  return (
    <>
      <ActionIcon variant="subtle" size="lg" radius="xl" {...button} aria-label={t('shell.account')}>
        <Avatar size={30} radius="xl" color="sheaf" alt="" />
      </ActionIcon>
      {popup !== undefined && <popup.Popup {...popup.props} />}
    </>
  );
};

const PinnedNav = late(() => import('../screens/saved-searches/pinned-nav.tsx'));

interface NavGroupProps {
  readonly items: readonly NavItem[];
  readonly title: string;
}

const NavGroup = ({ items, title }: NavGroupProps): ReactNode => {
  const t = useTranslate();
  const [location] = useLocation();
  if (items.length === 0) return null;
  return (
    <>
      <h2>{title}</h2>
      {items.map(({ path, label, icon: Icon }) => (
        <Link key={path} href={path} aria-current={location === path || location.startsWith(`${path}/`) ? 'page' : undefined}>
          <Icon size={18} stroke={1.7} aria-hidden />
          {t(label)}
        </Link>
      ))}
    </>
  );
};

const ShortcutsDialog = late(() => import('./shortcuts-dialog.tsx')).Part;

/** Tells the keys of the client where somebody presses `?`. */
const Shortcuts = (): ReactNode => {
  const [state, setState] = useState<'never opened' | 'open' | 'closed'>('never opened');
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (event.key === '?' && !event.ctrlKey && !event.metaKey && !isTyping(event.target)) setState('open');
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
  return state !== 'never opened' && <ShortcutsDialog isOpen={state === 'open'} onClose={() => setState('closed')} />;
};

/**
 * Moves what is fixed at the right edge by the width of the scroll bar while a dialog hides that; the name is the one that the dialogs' library
 * (react-remove-scroll) looks for.
 */
const KEEPS_PLACE = 'right-scroll-bar-position';

/** What stands around every screen: the ways to the others, the search field, the bell, the account, and whatever is being uploaded. */
const Shell = ({ children }: { readonly children: ReactNode }): ReactNode => {
  const t = useTranslate();
  const { may } = useSession();
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const [location] = useLocation();
  const hasBeenIdle = useHasBeenIdle();
  useEffect(() => close(), [location, close]);
  const shown = NAV_ITEMS.filter(({ needs }) => needs === undefined || may(needs));
  return (
    <EventsProvider>
      <UploadsProvider>
        <a href="#content" className="skip-link">
          {t('shell.skip')}
        </a>
        <header className={`shell-head ${KEEPS_PLACE}`}>
          <Burger opened={isOpen} onClick={toggle} hiddenFrom="md" size="sm" aria-label={t('shell.menu')} aria-expanded={isOpen} />
          <Brand />
          <div className="shell-find">{may('search.query') && <SearchField />}</div>
          {may('documents.create') && <UploadButton />}
          <NotificationBell />
          <AccountButton />
        </header>
        <nav className="shell-nav" aria-label={t('shell.navigation')} data-open={isOpen || undefined}>
          <NavGroup items={shown.filter(({ group }) => group === 'work')} title={t('shell.work')} />
          {hasBeenIdle && may('search.query') && <PinnedNav.Part />}
          <NavGroup items={shown.filter(({ group }) => group === 'admin')} title={t('shell.admin')} />
        </nav>
        <Shortcuts />
        <main className="shell-main" id="content" tabIndex={-1}>
          <ConnectionNote />
          {children}
        </main>
      </UploadsProvider>
    </EventsProvider>
  );
};
