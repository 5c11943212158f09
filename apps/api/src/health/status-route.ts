import { type Route, streamRoute } from '../http/route.ts';
import type { HealthServices } from './health-services.ts';
import { renderStatusPage, renderStatusText, STATUS_PAGE_POLICY } from './status-page.ts';

export const status = ({ statusReport }: HealthServices): Route =>
  streamRoute({
    method: 'get',
    path: '/status',
    access: 'anyone',
    isProbe: true,
    summary: 'Get the status page',
    description: 'HTML for clients that accept `text/html`, plain text otherwise.',
    content: {
      requestHeaders: { Accept: '`text/html` for a page that refreshes automatically' },
      answers: [
        {
          status: 200,
          description: 'Status of the service',
          contentTypes: ['text/plain', 'text/html'],
          headers: { Vary: 'The response depends on Accept' },
        },
      ],
    },
    stream: async (_input, { request, response }) => {
      const report = await statusReport();
      const isPage = request.accepts(['text/plain', 'text/html']) === 'text/html';
      response.status(200).vary('Accept').setHeader('Cache-Control', 'no-store');
      if (!isPage) {
        response.type('text/plain').send(renderStatusText(report));
        return;
      }
      response.setHeader('Content-Security-Policy', STATUS_PAGE_POLICY);
      response.type('text/html').send(renderStatusPage(report));
    },
  });
