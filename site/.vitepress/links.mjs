import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

/**
 * Fails unless every link to a page of the site leads to a page, and to an element of it if it names one. VitePress
 * itself looks for the pages alone. Nothing may be loaded from elsewhere, either.
 */
export function checkLinks(folder, base) {
  const pages = new Map()
  for (const file of readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.html'))) {
    const html = readFileSync(join(folder, file), 'utf8')
    pages.set(file.split('\\').join('/'), {
      ids: new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id)),
      links: [...html.matchAll(/<a\s[^>]*href="([^"]+)"/g)].map(([, link]) => link),
      loaded: [...html.matchAll(/<(?:script|img|link|source|iframe)\s[^>]*(?:src|href|srcset)="((?:https?:)?\/\/[^"]+)"/g)]
    })
  }

  const mistakes = []
  for (const [name, page] of pages) {
    page.loaded.forEach(([element]) => mistakes.push(`${name} loads ${element}`))
    for (const link of page.links.filter((each) => !/^\w+:/.test(each))) {
      const [path, fragment] = link.split('#').map(decodeURIComponent)
      let target = name
      if (path.startsWith(base)) {
        target = posix.normalize(path.slice(base.length) || './')
      } else if (path) {
        target = posix.join(posix.dirname(name), path)
      }
      if (target.endsWith('/')) {
        target = posix.join(target, 'index.html')
      }
      if (!pages.has(target)) {
        mistakes.push(`${name} links to ${link}, which is no page`)
      } else if (fragment && !pages.get(target).ids.has(fragment)) {
        mistakes.push(`${name} links to ${link}, which has no such heading`)
      }
    }
  }
  if (mistakes.length > 0) {
    throw new Error(mistakes.join('\n'))
  }
  console.log(`All links of ${pages.size} pages lead somewhere`)
}
