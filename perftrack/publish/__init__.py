"""The static site: gather (values to page models) -> render (models to bytes) -> write (bytes to a folder).

`site.build_site` is the way in. Nothing here imports Altair or Jinja2 before a site is built.
"""
