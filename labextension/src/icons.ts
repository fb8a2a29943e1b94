import { LabIcon } from '@jupyterlab/ui-components';

/**
 * Return an icon.
 *
 * @param shapes - Drawn on a square with sides of 24.
 * @param look - JupyterLab's classes for their colours.
 */
function drawn(
  name: string,
  shapes: string,
  look = 'jp-icon3 jp-icon-selectable'
): LabIcon {
  return new LabIcon({
    name: `msgbook:${name}`,
    svgstr: `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 24 24"><g class="${look}" fill="#616161">${shapes}</g></svg>`
  });
}

/** A speech bubble with `%%`, the mark of a cell, in it. */
export const chatIcon = drawn(
  'chat',
  `<path d="M5 2h14a3 3 0 0 1 3 3v10a3 3 0 0 1-3 3h-7.2L7 22v-4H5a3 3 0 0 1-3-3V5a3 3 0 0 1 3-3zm0 1.8A1.2 1.2 0 0 0 3.8 5v10A1.2 1.2 0 0 0 5 16.2h3.8v2l2.4-2H19a1.2 1.2 0 0 0 1.2-1.2V5A1.2 1.2 0 0 0 19 3.8z"/>
  <path d="M9.4 5.7l1.3.7-4.1 7.9-1.3-.7zM16.9 5.7l1.3.7-4.1 7.9-1.3-.7z"/>
  <circle cx="6.7" cy="7.6" r="1.5"/>
  <circle cx="9.6" cy="12.5" r="1.5"/>
  <circle cx="14.2" cy="7.6" r="1.5"/>
  <circle cx="17.1" cy="12.5" r="1.5"/>`
);

/** A conversation with two below it. */
export const agentsIcon = drawn(
  'agents',
  `<path d="M4 2.5h9A1.5 1.5 0 0 1 14.5 4v4A1.5 1.5 0 0 1 13 9.500h-9A1.5 1.5 0 0 1 2.500 8V4A1.5 1.5 0 0 1 4 2.5z"/>
  <path d="M5 9h1.600v9.900H12v1.600H5zM6 12.200h6v1.600H6z"/>
  <path d="M12.500 10.500h7A1.500 1.500 0 0 1 21 12v2a1.500 1.500 0 0 1-1.500 1.500h-7A1.500 1.500 0 0 1 11 14v-2a1.500 1.500 0 0 1 1.500-1.500zM12.500 17.200h7a1.500 1.500 0 0 1 1.500 1.500v2a1.500 1.500 0 0 1-1.500 1.500h-7a1.500 1.500 0 0 1-1.500-1.500v-2a1.500 1.500 0 0 1 1.500-1.500z"/>`
);

/** Icon of the panel: a message, and lines that are sent before it. */
export const contextIcon = drawn(
  'context',
  `<path d="M3 3h18v2H3zM3 7h18v2H3zM3 11h11v2H3zM3 15h18v7H3zm2 2v3h14v-3z"/>`
);

const EYE =
  'M12 5c5 0 9 3.5 10.6 7C21 15.500 17 19 12 19S3 15.500 1.400 12C3 8.500 7 5 12 5zm0 2c-3.600 0-6.700 2.200-8.300 5 1.600 2.800 4.700 5 8.300 5s6.700-2.200 8.300-5c-1.600-2.800-4.700-5-8.300-5zm0 1.800a3.200 3.200 0 1 1 0 6.400 3.200 3.200 0 0 1 0-6.400z';

/** An eye: the model gets a cell. */
export const sentIcon = drawn('sent', `<path d="${EYE}"/>`, 'jp-icon3');

/** An eye that is crossed out. */
export const excludedIcon = drawn(
  'excluded',
  `<path d="${EYE}M3.400 2 22 20.600 20.600 22 2 3.400z"/>`,
  'jp-icon3'
);

/** Icon of the panel with questions: a clipboard with a tick. JupyterLab's own shields are those of trust. */
export const approvalsIcon = drawn(
  'approvals',
  `<path d="M9 2h6a1 1 0 0 1 1 1v1h2.500A1.500 1.500 0 0 1 20 5.500v15a1.500 1.500 0 0 1-1.500 1.500h-13A1.500 1.500 0 0 1 4 20.500v-15A1.500 1.500 0 0 1 5.500 4H8V3a1 1 0 0 1 1-1zM8 5.800H5.800v14.400h12.400V5.800H16V7.500H8z"/>
  <path d="M10.800 17.400L7.200 13.800l1.400-1.400 2.200 2.200 4.700-4.700 1.400 1.400z"/>`
);
