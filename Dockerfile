# msgbook in a small image: `make dist`, then `docker build -t msgbook .`. docs/jupyterhub.md says how to run it.
FROM python:3.13-slim

RUN useradd --create-home --uid 1000 reader && install -d -o reader /work
COPY dist/*.whl /tmp/dist/
RUN python -m pip install --no-cache-dir /tmp/dist/*.whl && rm -r /tmp/dist

USER 1000
WORKDIR /work
EXPOSE 8888
# Keys come when a container starts (`--env-file`), so that none is in the image.
CMD ["jupyter", "lab", "--ip=0.0.0.0", "--port=8888", "--no-browser"]
