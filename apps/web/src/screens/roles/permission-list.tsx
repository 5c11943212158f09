import { SimpleGrid, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslate, useTranslator } from '../../language/language.tsx';
import { ACTION_GROUPS, toReach } from './role-permissions.ts';

/** What a role may do, in words. */
export const PermissionList = ({ permissions }: { readonly permissions: readonly string[] }): ReactNode => {
  const t = useTranslate();
  const { find } = useTranslator();
  const reach = toReach(permissions);
  const groups = ACTION_GROUPS.filter(({ actions }) => actions.some((action) => reach[action] !== undefined));
  if (permissions.includes('*') || groups.length === 0)
    return <Text size="sm">{permissions.includes('*') ? t('roleScreen.everything') : t('roleScreen.nothing')}</Text>;
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="md">
      {groups.map(({ resource, actions }) => (
        <Stack key={resource} gap={2}>
          <Text size="sm" fw={600}>
            {find(`permissionGroups.${resource}`)}
          </Text>
          {actions
            .filter((action) => reach[action] !== undefined)
            .map((action) => (
              <Text key={action} size="sm">
                {t(`permissions.${action}`)}
                {reach[action] === 'own' ? ` (${t('roleScreen.ownOnly')})` : ''}
              </Text>
            ))}
        </Stack>
      ))}
    </SimpleGrid>
  );
};
