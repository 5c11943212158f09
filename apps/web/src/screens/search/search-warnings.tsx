import { Alert, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Answer } from '../../interface/call.ts';
import { useTranslate } from '../../language/language.tsx';

type Warnings = NonNullable<Answer<'get /api/search'>['warnings']>;

const TEXTS = {
  unknown_field: 'search.warnUnknownField',
  invalid_value: 'search.warnInvalidValue',
  unknown_custom_field: 'search.warnUnknownCustomField',
  only_exclusions: 'search.warnOnlyExclusions',
  no_words: 'search.warnNoWords',
  too_many_words: 'search.warnTooManyWords',
} as const satisfies Record<Warnings[number]['code'], string>;

/** What of the query was not understood. */
export const SearchWarnings = ({ warnings = [] }: { readonly warnings: Warnings | undefined }): ReactNode => {
  const t = useTranslate();
  if (warnings.length === 0) return null;
  return (
    <Alert mb="md" color="yellow" role="status">
      <Stack gap={4}>
        {warnings.map(({ code, part }) => (
          <Text key={`${code} ${part}`} size="sm" className="stranger">
            {t(TEXTS[code], { part })}
          </Text>
        ))}
      </Stack>
    </Alert>
  );
};
