import { Button } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { navItemAt } from '../../app/nav.ts';
import { shellTexts } from '../../app/shell-texts.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ScreenHeader } from '../../components/screen-header.tsx';
import { useTexts } from '../../language/language.tsx';
import { defineTexts } from '../../language/texts.ts';

const texts = defineTexts({
  en: {
    title: 'Not for your account',
    hint: (permission: string) => `Your role has no permission for this screen (${permission}). An administrator can give it to you.`,
    back: 'To the documents',
  },
  de: {
    title: 'Nicht für Ihr Konto',
    hint: (permission: string) =>
      `Ihre Rolle hat für diese Ansicht keine Berechtigung (${permission}). Eine Administratorin oder ein Administrator kann sie Ihnen geben.`,
    back: 'Zu den Dokumenten',
  },
});

/** Stands where somebody came by an address to a screen that is not for him. */
const Refused = (): ReactNode => {
  const t = useTexts(texts);
  const words = useTexts(shellTexts);
  const [location] = useLocation();
  const item = navItemAt(location);
  return (
    <>
      <ScreenHeader title={item === undefined ? t.title : words[item.label]} />
      <EmptyState icon={IconLock} title={t.title} hint={t.hint(item?.needs ?? '')}>
        <Button component={Link} href="/documents">
          {t.back}
        </Button>
      </EmptyState>
    </>
  );
};
export default Refused;
