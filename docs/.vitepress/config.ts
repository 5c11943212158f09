import { defineConfig } from 'vitepress';

/** The links of a section; an item is a title and a path. */
const section = (text: string, items: readonly (readonly [title: string, link: string])[], collapsed = true) => ({
  text,
  collapsed,
  items: items.map(([title, link]) => ({ text: title, link })),
});

export default defineConfig({
  title: 'Sheaf',
  description: 'Documentation of Sheaf, a self-hosted document management service',
  base: '/docs/',
  // The service sends files by their name; an address without an ending would be one more thing for it to know.
  cleanUrls: false,
  ignoreDeadLinks: 'localhostLinks',
  appearance: true,
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Install', link: '/install/' },
      { text: 'Operate', link: '/operate/' },
      { text: 'Guides', link: '/guides/' },
      { text: 'API', link: '/api/' },
      { text: 'Contribute', link: '/contributing/' },
    ],
    sidebar: [
      section('Install', [
        ['Overview and npm', '/install/'],
        ['Docker Compose', '/install/container'],
        ['systemd', '/install/systemd'],
        ['Kubernetes', '/install/kubernetes'],
        ['Reverse proxy', '/install/reverse-proxy'],
      ]),
      section('Configuration', [
        ['Overview', '/configuration/'],
        ['Reference', '/configuration/reference'],
      ]),
      section('Guides', [
        ['Getting started', '/guides/getting-started'],
        ['Watch folders', '/guides/watch-folders'],
        ['Sources', '/guides/sources'],
        ['E-invoices', '/guides/e-invoices'],
        ['Object storage', '/guides/object-storage'],
        ['Users and roles', '/guides/users-and-roles'],
        ['LDAP', '/guides/ldap'],
        ['OpenID Connect', '/guides/oidc'],
        ['SAML 2.0', '/guides/saml'],
        ['Multi-factor authentication', '/guides/mfa'],
        ['Notifications', '/guides/notifications'],
        ['Custom fields', '/guides/custom-fields'],
        ['Search syntax', '/guides/search'],
        ['Saved searches', '/guides/saved-searches'],
      ]),
      section('Operate', [
        ['Overview', '/operate/'],
        ['Backup and restore', '/operate/backup-and-restore'],
        ['Upgrade', '/operate/upgrade'],
        ['Monitoring', '/operate/monitoring'],
        ['Sizing', '/operate/sizing'],
        ['Several hosts', '/operate/hosts'],
        ['Database', '/operate/database'],
        ['Integrity checks', '/operate/integrity'],
        ['Security', '/operate/security'],
        ['Troubleshooting', '/operate/troubleshooting'],
      ]),
      section('API and commands', [
        ['Overview', '/api/'],
        ['Authentication', '/api/authentication'],
        ['Endpoints', '/api/endpoints'],
        ['Permissions', '/api/permissions'],
        ['Events', '/api/events'],
        ['Versioning', '/api/versioning'],
        ['Error codes', '/api/error-codes'],
        ['Commands', '/cli/'],
      ]),
      section('Contribute', [
        ['Set-up', '/contributing/'],
        ['Architecture', '/contributing/architecture'],
        ['Testing', '/contributing/testing'],
        ['Add an endpoint', '/contributing/adding-an-endpoint'],
        ['Add a variable', '/contributing/adding-a-variable'],
        ['Add an event', '/contributing/adding-an-event'],
        ['Add a migration', '/contributing/adding-a-migration'],
        ['Glossary', '/contributing/glossary'],
        ['Internals', '/contributing/internals/'],
        ['Decision records', '/adr/'],
      ]),
    ],
  },
});
