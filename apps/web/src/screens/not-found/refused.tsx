import { Button } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { navItemAt } from '../../app/nav.ts';
import { EmptyState, ScreenHeader } from '../../components/screen-parts.tsx';
import { useTranslate } from '../../language/language.tsx';

/** Stands where somebody came by an address to a screen that is not for them. */
const Refused = (): ReactNode => {
  const t = useTranslate();
  const [location] = useLocation();
  const item = navItemAt(location);
  return (
    <>
      <ScreenHeader title={item === undefined ? t('refused.title') : t(item.label)} />
      <EmptyState icon={IconLock} title={t('refused.title')} hint={t('refused.hint', { permission: item?.needs ?? '' })}>
        <Button component={Link} href="/documents">
          {t('refused.back')}
        </Button>
      </EmptyState>
    </>
  );
};
export default Refused;
