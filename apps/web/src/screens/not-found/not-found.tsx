import { Button } from '@mantine/core';
import { IconMapQuestion } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { EmptyState, ScreenHeader } from '../../components/screen-parts.tsx';
import { useTranslate } from '../../language/language.tsx';

const NotFound = (): ReactNode => {
  const t = useTranslate();
  return (
    <>
      <ScreenHeader title={t('notFound.title')} />
      <EmptyState icon={IconMapQuestion} title={t('notFound.hint')}>
        <Button component={Link} href="/documents">
          {t('notFound.back')}
        </Button>
      </EmptyState>
    </>
  );
};
export default NotFound;
