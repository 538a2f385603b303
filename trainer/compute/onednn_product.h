/* Private to trainer/compute: layouts and products (convolutions, dense layers) as oneDNN describes
 * them. Versions 2 and 3 of oneDNN have different functions for this; no other file sees which
 * version is installed. */
#ifndef TRAINER_ONEDNN_PRODUCT_H
#define TRAINER_ONEDNN_PRODUCT_H

#include <dnnl.h>
#include <stdbool.h>

#if DNNL_VERSION_MAJOR >= 3
typedef struct dnnl_memory_desc Layout;
#else
typedef dnnl_memory_desc_t Layout;
#endif

/* Makes a layout of `rank` dimensions, which the caller destroys. */
dnnl_status_t layout_create(Layout **layout, int32_t rank, const dnnl_dims_t sizes,
                            dnnl_data_type_t type, dnnl_format_tag_t tag);
void layout_destroy(Layout *layout); /* NULL is allowed */

/* The layouts of a product, for one of its three passes. */
typedef struct {
    bool is_dense;
    int32_t padding; /* of a convolution with stride 1, on each side */
    const Layout *in, *kernel, *bias, *out;
} Product;

/* Describe the passes of training. `forward` is the description of the same product's forward
 * pass. The caller destroys `*description`. */
dnnl_status_t product_describe_forward(const Product *product, dnnl_engine_t engine,
                                       const_dnnl_primitive_attr_t attributes,
                                       dnnl_primitive_desc_t *description);
/* The gradient of the input; the bias is not read. */
dnnl_status_t product_describe_backward_data(const Product *product, dnnl_engine_t engine,
                                             const_dnnl_primitive_desc_t forward,
                                             dnnl_primitive_desc_t *description);
dnnl_status_t product_describe_backward_weights(const Product *product, dnnl_engine_t engine,
                                                const_dnnl_primitive_desc_t forward,
                                                dnnl_primitive_desc_t *description);

/* Adds max(x, 0) to what follows a product. */
dnnl_status_t product_append_relu(dnnl_post_ops_t after);

#endif
