import { Button } from '@mantine/core';
import { IconMapQuestion } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { EmptyState } from '../../components/empty-state.tsx';
import { ScreenHeader } from '../../components/screen-header.tsx';
import { useTexts } from '../../language/language.tsx';
import { defineTexts } from '../../language/texts.ts';

const texts = defineTexts({
  en: { title: 'Nothing here', hint: 'There is no screen under this address.', back: 'To the documents' },
  de: { title: 'Hier ist nichts', hint: 'Unter dieser Adresse gibt es keine Ansicht.', back: 'Zu den Dokumenten' },
});

const NotFound = (): ReactNode => {
  const t = useTexts(texts);
  return (
    <>
      <ScreenHeader title={t.title} />
      <EmptyState icon={IconMapQuestion} title={t.hint}>
        <Button component={Link} href="/documents">
          {t.back}
        </Button>
      </EmptyState>
    </>
  );
};
export default NotFound;
