import { Alert, SimpleGrid, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Answer } from '../../interface/call.ts';
import { kindName } from '../../language/kind-name.ts';
import { useFormat, useLanguage, useTranslate } from '../../language/language.tsx';
import { ocrLanguageName } from '../../language/ocr-language-name.ts';
import { DocumentSection } from './document-section.tsx';

export type Document = Answer<'get /api/documents/{id}'>;

const Fact = ({
  name,
  children,
  isWide = false,
}: {
  readonly name: string;
  readonly children: ReactNode;
  readonly isWide?: boolean;
}): ReactNode => (
  <Stack gap={0} style={isWide ? { gridColumn: '1 / -1' } : undefined}>
    <Text size="xs" c="dimmed" component="dt">
      {name}
    </Text>
    <Text size="sm" component="dd" m={0} className="stranger">
      {children}
    </Text>
  </Stack>
);

const languageNames = (codes: string, tag: string): string =>
  new Intl.ListFormat(tag).format(
    codes
      .replace(/^auto:/, '')
      .split(/[+,]/)
      .map((code) => ocrLanguageName(code, tag)),
  );

/** What the service knows of a document. */
export const DocumentFacts = ({ document }: { readonly document: Document }): ReactNode => {
  const t = useTranslate();
  const language = useLanguage();
  const format = useFormat();
  return (
    <DocumentSection title={t('document.details')}>
      <SimpleGrid component="dl" cols={2} spacing="sm" m={0}>
        <Fact name={t('document.filename')} isWide>
          {document.filename}
        </Fact>
        <Fact name={t('document.kind')}>{kindName(document.mime_type)}</Fact>
        <Fact name={t('document.size')}>{format.bytes(document.size)}</Fact>
        {document.page_count !== null && <Fact name={t('document.pages')}>{format.number(document.page_count)}</Fact>}
        {document.ocr_confidence !== null && <Fact name={t('document.confidence')}>{format.percent(document.ocr_confidence)}</Fact>}
        {document.language !== null && <Fact name={t('document.language')}>{ocrLanguageName(document.language, language)}</Fact>}
        <Fact name={t('document.ocrLanguage')}>
          {document.ocr_language === 'auto' ? t('ocrLanguages.auto') : languageNames(document.ocr_language, language)}
        </Fact>
        <Fact name={t('document.came')}>{t(`routes.${document.source}`)}</Fact>
        <Fact name={t('document.created')}>{format.dateTime(document.created_at)}</Fact>
        <Fact name={t('document.updated')}>{format.dateTime(document.updated_at)}</Fact>
        <Fact name={t('document.sha256')} isWide>
          {document.sha256}
        </Fact>
      </SimpleGrid>
      {document.missing_language !== null && (
        <Alert color="yellow" mt="sm">
          {t('document.missingLanguage', {
            language: ocrLanguageName(document.missing_language, language),
            command: `./setup --languages ${document.missing_language}`,
          })}
        </Alert>
      )}
    </DocumentSection>
  );
};
