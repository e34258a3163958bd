import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'
import { checkLinks } from './links.mjs'

// The pages are those of the repository, where they are: README is the door, and its table of the reference the contents.
const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..')
const pom = readFileSync(join(root, 'pom.xml'), 'utf8')
const version = pom.match(/^\t<version>(.*)<\/version>/m)[1]
const repository = pom.match(/<repository\.url>(.*)<\/repository\.url>/)[1]

// They are rendered from a copy, because what renders them must be installed above them.
const pages = join(root, 'site/pages')
rmSync(pages, { recursive: true, force: true })
for (const each of ['README.md', 'CHANGELOG.md', 'SECURITY.md', 'CONTRIBUTING.md', 'ARCHITECTURE.md', 'docs',
  'benchmarks/RESULTS.md', 'benchmarks/charts', 'ratelimit-core/ARCHITECTURE.md', 'ratelimit-redis/ARCHITECTURE.md',
  'ratelimit-autoconfigure/ARCHITECTURE.md']) {
  cpSync(join(root, each), join(pages, each.replace('README', 'index')), { recursive: true })
}

function contents() {
  const reference = readFileSync(join(root, 'README.md'), 'utf8').split('\n## Reference\n')[1].split('\n## ')[0]
  return [...reference.matchAll(/\]\((docs\/[\w-]+)\.md\)/g)].map(([, name]) => page(name))
}

function page(name) {
  return { text: readFileSync(join(root, `${name}.md`), 'utf8').match(/^# (.*)/)[1], link: `/${name}` }
}

// As the repository's forge makes them, so that a link works in both.
function anchor(heading) {
  return heading.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-')
}

// A language that the highlighter does not have.
function plain(name) {
  return { name, scopeName: `text.${name}`, patterns: [], repository: {} }
}

// On a phone, indented code scrolls as fenced code does, and names of properties break after a dot, so that a table shows
// what they mean beside them.
function fitPhone(markdown) {
  const { fence, code_inline: inline } = markdown.renderer.rules
  markdown.renderer.rules.code_block = fence
  markdown.renderer.rules.code_inline = (...each) => inline(...each).replace(/(?<=[\w\];])\.(?=[a-z&])/g, '.<wbr>')
}

// What is linked and is no page, such as the licence, is read in the repository.
function linkToRepository(markdown) {
  markdown.core.ruler.push('repository', (state) => {
    const links = state.tokens.flatMap((token) => token.children ?? []).filter((token) => token.type === 'link_open')
    for (const link of links) {
      const target = link.attrGet('href')
      if (/^(\w+:|#)/.test(target) || /\.md(#|$)/.test(target)) {
        link.attrSet('href', target.replace(/README\.md/, 'index.md'))
        continue
      }
      const file = resolve(root, dirname(state.env.relativePath), target)
      if (!existsSync(file)) {
        throw new Error(`${state.env.relativePath} links to ${target}, which does not exist`)
      }
      link.attrSet('href', `${repository}/blob/main/${relative(root, file)}`)
    }
  })
}

export default defineConfig({
  lang: 'en',
  title: 'Ratelimit',
  description: 'Rate limiting for Spring Boot: annotate, configure, inspect',
  srcDir: 'pages',
  outDir: '../target/site',
  cacheDir: '../target/site-cache',
  base: process.env.SITE_BASE ?? '/',
  cleanUrls: false,
  head: [
    // no icon, or browsers ask for one that is not there
    ['link', { rel: 'icon', href: 'data:,' }],
    ['style', {}, ':root:root { --vp-code-lang-color: var(--vp-c-text-2) }']
  ],
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    anchor: { slugify: anchor },
    toc: { slugify: anchor },
    languages: [plain('promql')],
    config: (markdown) => {
      linkToRepository(markdown)
      fitPhone(markdown)
    }
  },
  themeConfig: {
    nav: [
      { text: `Version ${version}`, link: '/CHANGELOG' },
      { text: 'Repository', link: repository }
    ],
    sidebar: [
      { text: 'Ratelimit', items: [{ text: 'Five minutes to a limit', link: '/' }, page('docs/sample')] },
      { text: 'Reference', items: contents() },
      {
        text: 'Project',
        items: [
          { text: 'Results of benchmarks', link: '/benchmarks/RESULTS' },
          { text: 'Changelog', link: '/CHANGELOG' },
          { text: 'Security', link: '/SECURITY' },
          { text: 'Contributing', link: '/CONTRIBUTING' },
          { text: 'Architecture', link: '/ARCHITECTURE' }
        ]
      }
    ],
    outline: [2, 3],
    search: {
      provider: 'local',
      options: {
        miniSearch: {
          // names of properties are words besides their parts, which nearly every page has, and 429 is not like 42
          options: {
            tokenize: (text) => [...text.split(/[\n\r\p{Z}\p{P}]+/u), ...text.match(/\w+([.-]\w+)+/g) ?? []]
          },
          searchOptions: { fuzzy: 0.1 }
        }
      }
    }
  },
  buildEnd: (site) => checkLinks(site.outDir, site.site.base)
})
